"""Notes that nobody wrote: the same ones every time, about 200 words each, in plausible English.

A note is filled from the vocabulary of its topic through sentence templates. There are five
shapes: with and without properties, headings, lists, tasks, code and links.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

WORDS = 200
SCOPES = ("github.com/acme/api", "github.com/acme/shop", "github.com/acme/house")


@dataclass(frozen=True)
class Topic:
    """The words of one part of somebody's life."""

    name: str
    scope: str
    things: str
    troubles: str
    causes: str
    acts: str
    tags: str
    code: str


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


TOPICS = (
    Topic(
        "Payments",
        SCOPES[0],
        "refund queue, invoice exporter, card vault, settlement job, chargeback form, payout "
        "ledger, currency table, receipt mailer, fraud filter, subscription clock",
        "stalls, doubles a charge, loses its place, rounds the wrong way, rejects valid cards, "
        "times out, skips a customer, reports the wrong total",
        "two workers claimed one row, the bank answers twice, the cursor was never saved, the "
        "exchange rate is a day old, a migration dropped an index, the clock jumped at midnight",
        "made the call idempotent, moved the retry behind a queue, wrote a reconciliation report, "
        "raised the limit for trusted merchants, split the batch in two, put a lock around it",
        "payments, bug, finance, retries",
        "def settle(batch_id: str) -> Receipt:\n    return ledger.close(batch_id, retry_limit=3)",
    ),
    Topic(
        "Search",
        SCOPES[0],
        "query parser, synonym list, ranking model, autocomplete, shard router, snippet builder, "
        "spelling corrector, crawl scheduler, facet counter, warm cache",
        "returns nothing, favours old pages, runs out of heap, ignores accents, shows duplicates, "
        "forgets deleted pages too late, answers slowly on Mondays, cuts words in half",
        "the segment merge runs at noon, stop words were removed twice, the cache key lacks the "
        "language, every replica warms up at once, the tokenizer splits on hyphens",
        "rebuilt the index overnight, pinned the analyzer, measured recall on old queries, dropped "
        "the second cache, added a canary shard, wrote the golden set down",
        "search, ranking, latency, quality",
        "SELECT page_id, score FROM hits WHERE score > 0.4 ORDER BY score DESC LIMIT 20;",
    ),
    Topic(
        "Deployment",
        SCOPES[1],
        "release train, staging cluster, feature flag, rollback script, build cache, container "
        "image, secrets rotation, status page, load balancer, smoke test",
        "hangs for an hour, goes out half finished, points at the old version, hides a failure, "
        "needs a second approval, fills the disk, restarts in a loop, fails only in Frankfurt",
        "the health check answers before the pool is open, nobody owns the runner, a tag was moved "
        "by hand, the certificate expired, the base image changed under us",
        "pinned every image by digest, wrote a checklist, froze releases on Fridays, automated the "
        "rollback, deleted the stale runners, added a gate before production",
        "deploy, ops, incident, ci",
        "kubectl rollout undo deployment/web-frontend --to-revision=41",
    ),
    Topic(
        "Shop frontend",
        SCOPES[1],
        "checkout page, address form, product gallery, wish list, cookie banner, size chart, "
        "basket drawer, voucher field, review widget, login dialog",
        "jumps while loading, traps the keyboard, forgets the basket, overlaps on small phones, "
        "translates half a sentence, shows prices without tax, blocks the first paint",
        "a font arrives late, the session cookie is scoped too tightly, the grid assumes three "
        "columns, the hydration order changed, an old polyfill is still shipped",
        "reserved the space beforehand, moved the state into the address, asked five customers, "
        "removed two dependencies, tested with a screen reader, shipped it behind a flag",
        "frontend, design, accessibility, shop",
        "const total = useBasketTotal({ includeTax: true, voucherCode });",
    ),
    Topic(
        "Renovation",
        SCOPES[2],
        "kitchen floor, bathroom tiling, garden wall, attic insulation, heat pump, window frames, "
        "staircase, rain gutter, fuse box, chimney",
        "leaks after heavy rain, creaks at night, costs more than planned, needs a permit, stays "
        "damp, blocks the door, hums in winter, cracked along the edge",
        "the plaster was never dry, the old pipes run under it, the supplier sent the wrong size, "
        "frost got into the mortar, the previous owner saved on timber",
        "ordered spare tiles, called a second electrician, sealed the joint, drew the pipes on the "
        "plan, agreed on a fixed price, moved the furniture into the garage",
        "house, renovation, budget, craft",
        "floor area = 4.20 m x 3.65 m = 15.33 m2, plus ten percent waste",
    ),
    Topic(
        "Garden",
        SCOPES[2],
        "tomato bed, compost heap, apple tree, herb spiral, rain barrel, greenhouse, lawn, "
        "raspberry row, bee hotel, seed tray",
        "attracts slugs, wilts by noon, ripens too late, smells of ammonia, turns yellow, needs "
        "shade, freezes in April, spreads under the fence",
        "the soil is heavy clay, we watered in the evening, the seedlings were moved too early, "
        "there is too much nitrogen, the wind comes from the east",
        "mulched with straw, covered it with fleece, cut it back to two buds, dug in some sand, "
        "swapped seeds with the neighbours, built a cold frame",
        "garden, season, plants, weekend",
        "sow: mid March / prick out: April 10 / plant: after the ice saints",
    ),
    Topic(
        "Research",
        SCOPES[0],
        "reading group, survey draft, evaluation set, annotation guide, baseline run, ablation "
        "table, literature map, pilot study, interview protocol, poster",
        "contradicts the earlier result, lacks a control, reads like a list, depends on the seed, "
        "drifts between annotators, cannot be repeated, overstates the effect",
        "the samples were not shuffled, one site dropped out, the metric rewards short answers, "
        "the instructions changed half way, the test set leaked into training",
        "registered the hypothesis, reran it with five seeds, wrote to the authors, simplified the "
        "guide, reported intervals instead of stars, archived the raw answers",
        "research, paper, evaluation, reading",
        "python evaluate.py --split test --seed 17 --metric ndcg@10 > results/run_17.json",
    ),
    Topic(
        "Travel",
        SCOPES[2],
        "night train, ferry ticket, mountain hut, city map, rental bicycle, packing list, visa "
        "form, coastal path, guest house, museum pass",
        "sells out early, closes in November, runs only twice a week, is cheaper on paper, starts "
        "before breakfast, needs cash, turned out to be full, leaves from the other station",
        "the timetable changes in December, the bridge is being repaired, everybody goes there in "
        "August, the booking site shows local time, the harbour froze",
        "booked the upper berth, wrote the address in the local script, left a day for rain, "
        "bought the regional pass, asked the host for the key code, printed the tickets",
        "travel, train, plans, europe",
        "Vienna 19:23 -> Zurich 07:20, car 302, berths 61 and 63",
    ),
)  # fmt: skip

PEOPLE = _split(
    "Mira, Jonas, Adaeze, Tomasz, Linh, Farid, Greta, Owen, Sunniva, Kenji, Beatriz, Hollis, "
    "Nadia, Callum, Ines, Rafael, Yusra, Piotr, Wanjiru, Silas, Oona, Devika, Emil, Marguerite"
)
MONTHS = _split(
    "January, February, March, April, May, June, July, August, September, October, November, "
    "December"
)
DAYS = _split("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday")
HEADINGS = _split(
    "Background, What happened, Why, Next steps, Open questions, Decision, Notes, Details, Costs, "
    "Timeline, What we tried, Risks, Summary, For later, Links, Lessons"
)
SENTENCES = (
    "{Person} noticed on {day} that the {thing} {trouble}, and it took {n} hours to see why.",
    "The reason is simple: {cause}.",
    "We {act} in {month}, which cut the number of complaints from {big} to {n}.",
    "If the {thing} {trouble} again, first check whether {cause}.",
    "{Person} and {Other} disagreed about the {thing}, so we {act} and compared for {n} weeks.",
    "Nobody had touched the {thing} since {month} {year}.",
    "According to {Person}, it {trouble} about {n} times a week, mostly on {day} mornings.",
    "The plan for {month} is to leave the {thing} alone until {Other} is back.",
    "It would be cheaper to replace the {thing} than to keep the {thing2} alive.",
    "Last year we {act} after the {thing2} had failed, and {Person} still has the numbers.",
    "My guess is that {cause}, although the evidence so far is thin.",
    "A good rule: never change the {thing} and the {thing2} on the same {day}.",
    "{Person} asked for {big} euros, of which {n} percent went into the {thing}.",
    "What surprised me is how often the {thing2} {trouble} without anyone saying a word.",
    "We agreed that {Person} looks after the {thing} and {Other} after the {thing2}.",
    "Before {month} the {thing} worked for {big} people; afterwards it {trouble}.",
    "There are {n} ways to fix this, and only one of them survives a busy {day}.",
    "See the measurement from {month} {n}, {year}: {big} cases, {n2} of them odd.",
    "The workaround is ugly but honest: we {act} and wrote down what is left.",
    "I would rather wait for {Person} than explain the {thing} to everybody once more.",
)
POINTS = (
    "ask {Person} about the {thing}",
    "the {thing} {trouble}",
    "{Person} {act}",
    "budget: {big} euros until {month}",
    "compare the {thing} with the {thing2} before {day}",
    "because {cause}",
    "{n} of {big} done, the rest by {month} {n2}",
)


class Made(NamedTuple):
    """One note: its path in the vault and its text."""

    path: str
    text: str


class _Writer:
    """Fills templates with the words of one topic."""

    def __init__(self, chance: random.Random, topic: Topic, links: list[str]) -> None:
        self._chance = chance
        self.topic = topic
        self._links = links
        self._left: list[str] = []

    def pick(self, words: str) -> str:
        return self._chance.choice(_split(words))

    def fill(self, template: str) -> str:
        chance, topic = self._chance, self.topic
        person, other = chance.sample(PEOPLE, 2)
        thing, second = chance.sample(_split(topic.things), 2)
        return template.format(
            Person=person,
            Other=other,
            thing=thing,
            thing2=second,
            trouble=self.pick(topic.troubles),
            cause=self.pick(topic.causes),
            act=self.pick(topic.acts),
            day=chance.choice(DAYS),
            month=chance.choice(MONTHS),
            year=chance.randint(2019, 2026),
            n=chance.randint(2, 28),
            n2=chance.randint(2, 28),
            big=chance.randint(30, 4000),
        )

    def paragraph(self) -> str:
        text = " ".join(self.fill(self._unused()) for _ in range(self._chance.randint(2, 4)))
        return f"{text} See {self._linked()}." if self._chance.random() < 0.3 else text

    def _unused(self) -> str:
        """Return a template that this note has not used, as long as there is one."""
        if not self._left:
            self._left = self._chance.sample(SENTENCES, len(SENTENCES))
        return self._left.pop()

    def points(self, mark: str = "- ") -> str:
        chosen = self._chance.sample(POINTS, self._chance.randint(3, 5))
        return "\n".join(f"{mark}{self.fill(point)}" for point in chosen)

    def heading(self, level: int = 2) -> str:
        return f"{'#' * level} {self._chance.choice(HEADINGS)}"

    def tagline(self) -> str:
        return " ".join(f"#{tag}" for tag in self._chance.sample(_split(self.topic.tags), 2))

    def code(self) -> str:
        return f"```\n{self.topic.code}\n```"

    def _linked(self) -> str:
        return f"[[{self._chance.choice(self._links)}]]" if self._links else "the older notes"

    def until_long(self, begin: list[str], *parts: Callable[[], str]) -> str:
        """Return a body of about 200 words: its beginning, then parts by turns."""
        found = list(begin)
        turn = 0
        while len(" ".join(found).split()) < WORDS - 30:
            found.append(parts[turn % len(parts)]())
            turn += 1
        return "\n\n".join(found) + "\n"


def _properties(title: str, writer: _Writer, stamp: str, note_id: str = "") -> str:
    tags = "".join(f"  - {tag}\n" for tag in _split(writer.topic.tags)[:2])
    ours = f"type: learning\nstatus: working\nsource: user_confirmed\nid: {note_id}\n"
    return f"---\ntitle: {title}\n{ours if note_id else ''}tags:\n{tags}created: {stamp}\n---\n"


def _body(shape: int, title: str, writer: _Writer) -> str:
    if shape == 0:
        begin = [f"# {title}", writer.tagline()]
        return writer.until_long(begin, writer.heading, writer.paragraph, writer.paragraph)
    if shape == 1:
        return writer.until_long([writer.paragraph()], writer.points, writer.paragraph)
    if shape == 2:
        return writer.until_long([], writer.paragraph)
    if shape == 3:
        tasks = f"## Tasks\n\n{writer.points('- [ ] ')}"
        return writer.until_long(
            [f"# {title}", tasks], lambda: writer.heading(3), writer.paragraph, writer.points
        )
    begin = [f"## {title}", writer.paragraph(), writer.code()]
    return writer.until_long(begin, writer.paragraph, lambda: writer.points("1. "))


def notes(count: int, seed: int = 1) -> Iterator[Made]:
    """Yield notes, every third one a memory in a scope folder, the others a person's own."""
    chance = random.Random(seed)
    titles: list[str] = []
    for number in range(count):
        topic = chance.choice(TOPICS)
        writer = _Writer(chance, topic, titles[-40:])
        title = writer.fill("The {thing} {trouble}, {month} {year}")
        title = f"{title}, part {number}" if title in titles[-2000:] else title
        titles.append(title)
        year, month, day = chance.randint(2023, 2026), chance.randint(1, 10), chance.randint(1, 28)
        stamp = f"{year}-{month:02}-{day:02}T09:{number % 60:02}:00"
        yield _made(number, title, writer, stamp)


def _made(number: int, title: str, writer: _Writer, stamp: str) -> Made:
    shape = number % 5
    body = _body(shape, title, writer)
    if number % 3 == 0:
        head = _properties(title, writer, stamp, _id(number))
        return Made(f"memory/{writer.topic.scope}/{_name(title, number)}.md", head + body)
    head = _properties(title, writer, stamp) if shape in (1, 2) else ""
    return Made(f"Notes/{writer.topic.name}/{_name(title, number)}.md", head + body)


def _id(number: int) -> str:
    letters = "abcdefghjkmnpqrstvwxyz"
    return "b" + "".join(letters[number // 22**place % 22] for place in range(7))


def _name(title: str, number: int) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}-{number}"


_CATALOGUE = """---
title: {title}
type: catalogue
scope: {scope}
---
<!-- vaultmem:catalogue -->
<!-- /vaultmem:catalogue -->
"""


def write(root: Path, count: int, seed: int = 1) -> list[str]:
    """Write notes and their scope folders into a vault, a minute old; return the notes' paths."""
    for scope in SCOPES:
        folder = root / "memory" / scope
        folder.mkdir(parents=True, exist_ok=True)
        page = _CATALOGUE.format(title=scope.rsplit("/", 1)[1], scope=scope)
        (folder / "index.md").write_text(page, encoding="utf-8")
    paths = []
    for made in notes(count, seed):
        target = root / made.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(made.text, encoding="utf-8")
        paths.append(made.path)
    age(root)
    return paths


def age(root: Path, seconds: float = 60) -> None:
    """Set back the times of every visible file, as if nobody had written for a while."""
    then = time.time() - seconds
    for path in root.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if path.is_file() and not hidden:
            os.utime(path, (then, then))


def facts(count: int, seed: int = 2) -> Iterator[tuple[str, str]]:
    """Yield titles and contents of short memories."""
    chance = random.Random(seed)
    for number in range(count):
        writer = _Writer(chance, chance.choice(TOPICS), [])
        title = writer.fill("The {thing} {trouble}")
        yield f"{title} ({number + 1})", writer.paragraph()


class Thai(NamedTuple):
    """A fact in Thai, a question that it answers, and a word that both hold."""

    title: str
    fact: str
    question: str
    shared: str


THAI = (
    Thai(
        "การจองห้องประชุม",
        "ห้องประชุมชั้นสามจองผ่านปฏิทินกลางล่วงหน้าอย่างน้อยสองชั่วโมง",
        "ถ้าอยากใช้ห้องประชุมต้องทำอย่างไร",
        "ห้องประชุม",
    ),
    Thai(
        "อาการแพ้ของน้องพลอย",
        "ลูกสาวของคุณนิดาแพ้ถั่วลิสงและต้องพกยาฉีดติดตัวเสมอ",
        "ใครในบ้านกินถั่วลิสงไม่ได้",
        "ถั่วลิสง",
    ),
    Thai(
        "งานกลางคืนของเครื่องแม่ข่าย",
        "ระบบสำรองข้อมูลทำงานทุกคืนเวลาตีสองและเก็บไว้สามสิบวัน",
        "เริ่มสำรองข้อมูลตอนกี่โมง",
        "สำรองข้อมูล",
    ),
    Thai(
        "ต้นไม้ที่ระเบียง",
        "กล้วยไม้รดน้ำเช้าวันเว้นวันและไม่ชอบแดดจัด",
        "ควรดูแลกล้วยไม้ยังไง",
        "กล้วยไม้",
    ),
    Thai(
        "มาตรฐานของทีมหลังบ้าน",
        "บริการใหม่ทั้งหมดเขียนด้วยรัสต์ ส่วนของเก่ายังเป็นไพทอน",
        "ทีมเลือกอะไรสำหรับบริการใหม่",
        "บริการใหม่",
    ),
    Thai(
        "ร้านหลังตลาดน้ำ",
        "ก๋วยเตี๋ยวเรือเจ้าอร่อยปิดทุกวันพุธและรับเงินสดเท่านั้น",
        "วันไหนไปกินก๋วยเตี๋ยวไม่ได้",
        "ก๋วยเตี๋ยว",
    ),
    Thai(
        "กำหนดยื่นแบบประจำปี",
        "ภาษีเงินได้ต้องยื่นภายในสิ้นเดือนมีนาคม มิฉะนั้นเสียค่าปรับ",
        "จ่ายภาษีช้าสุดได้เมื่อไร",
        "ภาษี",
    ),
    Thai(
        "ตารางรถไฟสายเหนือ",
        "ขบวนด่วนไปเชียงใหม่ออกจากสถานีกลางตอนหกโมงเย็น",
        "จะขึ้นเชียงใหม่คืนนี้ทันไหม",
        "เชียงใหม่",
    ),
    Thai(
        "สุขภาพของมะลิ",
        "แมวมะลิต้องฉีดวัคซีนพิษสุนัขบ้าทุกเดือนตุลาคมที่คลินิกหน้าปากซอย",
        "ครั้งต่อไปต้องรับวัคซีนเมื่อใด",
        "วัคซีน",
    ),
    Thai(
        "เครื่องพิมพ์ชั้นล่าง",
        "เมื่อกระดาษติดให้เปิดฝาหลังแล้วดึงออกช้า ๆ ห้ามดึงจากด้านหน้า",
        "แก้ปัญหากระดาษติดยังไงดี",
        "กระดาษติด",
    ),
    Thai(
        "ของเก่าของพ่อ",
        "พ่อเก็บกีตาร์ตัวแรกไว้ใต้หลังคาและอยากให้หลานหัดเล่น",
        "กีตาร์อยู่ตรงไหนของบ้าน",
        "กีตาร์",
    ),
    Thai(
        "สูตรวันเสาร์",
        "ขนมปังเปรี้ยวอบที่สองร้อยสามสิบองศาสี่สิบนาทีในหม้อเหล็ก",
        "ต้องเอาขนมปังเข้าเตานานเท่าไร",
        "ขนมปัง",
    ),
)

"""Opposites: words that cannot both be true of one thing, told by a list and by their form."""

from __future__ import annotations

from collections.abc import Iterable, Set

_GROUPS = """
on off|yes no|true false|from to|and or|up down|left right|first last|front back|top bottom
enable/activate/active disable/deactivate/inactive|always never sometimes rarely|before after
allow/permit/accept deny/forbid/forbidden/reject/refuse/block/ban/prohibit|prior following
minimum/minimal maximum/maximal|rise/rose/raise fall/fell|gain/climb/jump/soar/surge slip/slide/dip
increase/grow/grew/rise/rose decrease/shrink/shrank/reduce/drop/decline/fall/fell
advancer decliner|gain/win/won lose/lost|love/like hate/dislike|good/better/best bad/worse/worst
high/higher low/lower|more/greater less/fewer|all/every/everyone none some few most|many few
add/create/insert remove/delete/drop|keep/retain discard/drop/remove/delete|open close/shut
start/begin/began/launch stop/end/halt/finish|push pull|read write/wrote|send/sent receive
synchronous/sync asynchronous/async|serial/sequential parallel|manual automatic/automatically
public private|internal external|local remote global|success/succeed/pass fail/failure
require/mandatory/must optional/may/might|fast/quick slow|old/legacy/former new/current
early/earlier late/later|above/over below/under|inside/within outside|long short
large/big/larger small/little/smaller|ascending descending|encrypt decrypt plaintext|lock unlock
import export|upload download|buy/bought/purchase sell/sold|hot cold warm|empty full
safe/secure unsafe/insecure|strict loose/lenient|merge split|squash rebase|attach detach
mount unmount|commit/committed revert/rollback|client server|input output|request response
source target/destination/sink|parent child|frontend backend|unit integration|main develop/trunk
primary/leader/master secondary/replica/follower/standby/slave|include exclude|expand collapse
approve reject/decline|dead/die/died alive/live|hire fire|arrive leave/depart|tab space|light dark
north south east west|northern southern eastern western|morning afternoon evening noon midnight
spring summer autumn winter|staging/stage production development test/testing qa sandbox
today tomorrow yesterday|weekend weekday|hour/hourly day/daily week/weekly month/monthly
week/weekly year/yearly/annual quarter/quarterly night/nightly minute day/daily hour/hourly
month/monthly year/yearly/annual quarter/quarterly
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
red orange yellow green blue purple black white grey/gray pink brown
postgres mysql mariadb sqlite redis mongodb/mongo cassandra memcached dynamodb oracle
python ruby rust java javascript typescript kotlin go/golang php perl swift scala elixir
linux windows macos|debian ubuntu fedora alpine centos|aws azure gcp|docker podman
kafka rabbitmq nats sqs|json yaml/yml toml xml csv protobuf|http https grpc websocket
get post put patch delete|debug info warning/warn error fatal|gzip zstd brotli lz4
npm yarn pnpm bun|vim emacs vscode helix|nginx apache caddy traefik|github gitlab bitbucket
desktop mobile|ssh rsync ftp sftp|stdout stderr
husband wife|father mother|son daughter|brother sister|man woman|boy girl
"""
"""Words that exclude each other; those with a stroke between them say the same."""

_TURNING = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
"""What turns a word round in front of it."""
_ACROSS = (
    ("in", "ex"), ("in", "out"), ("im", "ex"), ("up", "down"), ("over", "under"),
    ("pre", "post"), ("en", "de"), ("as", "de"), ("inter", "intra"), ("pro", "anti"),
    ("maxi", "mini"), ("hyper", "hypo"), ("multi", "single"), ("fore", "back"),
)  # fmt: skip
"""Beginnings of words that are opposites if they end alike."""
_END = 4
"""Least letters of that end."""


_INFLECTED = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))


def stem(word: str) -> str:
    """Return an English word in lower case without its inflection, roughly."""
    for end, instead in _INFLECTED:
        if word.endswith(end) and len(word) - len(end) >= 3 and not word.endswith("ss"):
            word = word[: -len(end)] + instead
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def opposed(left: Set[str], right: Set[str]) -> bool:
    """Return whether a stem of one set and one of the other exclude each other."""
    taken: dict[int, set[int]] = {}
    for group, side in _sides_of(right):
        taken.setdefault(group, set()).add(side)
    if any(taken.get(group, set()) - {side} for group, side in _sides_of(left)):
        return True
    ends = {word[-_END:] for word in left} & {word[-_END:] for word in right}
    return any(
        _turned(word, others)
        for words, others in ((left, right), (right, left))
        for word in words
        if word[-_END:] in ends or word.endswith("less")
    )


def _sides_of(words: Iterable[str]) -> Iterable[tuple[int, int]]:
    return (place for word in words for place in _SIDES.get(word, ()))


def _turned(word: str, others: Set[str]) -> bool:
    """Return whether a word is one of some others, turned round by its beginning or end."""
    if word.endswith("less") and (word[:-4] in others or f"{word[:-4]}ful" in others):
        return True
    changes = [*_ACROSS, *((before, "") for before in _TURNING)]
    return any(
        word.startswith(before)
        and len(word) >= len(before) + _END
        and instead + word[len(before) :] in others
        for before, instead in changes
    )


def _sides() -> dict[str, list[tuple[int, int]]]:
    """Return for each stem its groups, and the side on which it stands there."""
    found: dict[str, list[tuple[int, int]]] = {}
    groups = [group for line in _GROUPS.split("\n") for group in line.split("|")]
    for number, group in enumerate(groups):
        for side, words in enumerate(group.split()):
            for word in words.split("/"):
                found.setdefault(stem(word), []).append((number, side))
    return found


_SIDES = _sides()

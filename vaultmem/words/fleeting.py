"""What is no fact: our own text coming back, the state of a moment, plans, errors of providers.

A line that is no fact and slips through costs a person one look; a fact that is dropped is lost. So
a text is dropped only if every sentence of it is certainly no fact.
"""

from __future__ import annotations

import re

from vaultmem.words.checks import CONTENT
from vaultmem.words.hit import FRAME
from vaultmem.words.injected import without_marked

SHORT = 15
"""A sentence with more words says more than how things stand at the moment."""

ECHO = "it is our own text coming back"
STATE = "it says how things stand at the moment"
PLAN = "it says what comes next"
PROVIDER = "it tells of an error of a provider"

_HEADING = re.compile(
    r"^## (?:Identity|Checkpoint|Memories|Languages|Unread log|Catalogue of .+)$", re.M
)
_GRADE = r"\[(?:CONFIRMED|IMPORTED|INFERRED|PENDING|OUTSIDE)\b[^\]\n]*\b(?:strong|moderate|weak)\]"
_OURS = re.compile(
    rf"^\s*(?:\d+\.\s+\*\*.+\*\* {_GRADE} .*"
    rf"|- .+ {_GRADE} \(.+\)"
    r"|(?:>\s*)?- \d{4}-\d\d-\d\dT\S+ \*\*[^*]+\*\* · .+ · .+ · .+"
    r"|- \[\[[^\]|]+\|[^\]]+\]\] — .* · \w+"
    r"|(?:Kept|Changed|Waits for a person:|Known already:) \S+ in \S+\.md \(.*hash [0-9a-f]{8}.*\)"
    r"|- .+ \(\S+, hash [0-9a-f]{8}\).*"
    r"|Not kept: the vault says nearly this already\."
    r"|Nothing in the vault answers that\."
    r"|\d+ unread log entries of others: .*)$"
)
_BELOW = re.compile(r"^ {2,3}(?![-*+] )\S")
"""A line of a hit below its first."""


def without_echo(text: str) -> str:
    """Return a text without what we ourselves put before the agent: briefs, hits, log lines."""
    text = without_marked(text)
    framed = text.find(FRAME)
    text = text if framed < 0 else text[:framed]
    headings = list(_HEADING.finditer(text))
    if len(headings) > 1:
        text = text[: headings[0].start()]
    kept: list[str] = []
    in_hit = False
    for line in text.split("\n"):
        ours = bool(_OURS.match(line))
        in_hit = ours or (in_hit and bool(_BELOW.match(line)))
        if not in_hit:
            kept.append(line)
    return "\n".join(kept).strip()


_REASON = re.compile(
    r"\b(?:because|since|that|which|when|whenever|while|if|unless|after|before|until|only|so|due|"
    r"avoid|instead|must|never|always|should|prefers?|requires?|required|needs?|cannot|can't|"
    r"per|above|below|at most|at least|every|each|than|thanks|by (?!me\b)|via|without|fixed by|"
    r"workaround|max(?:imum)?|means?)\b",
    re.I,
)
"""A word that says how things hang together, so that the sentence may be a fact."""
_NOW = r"(?:\s+(?:now|again|all|currently|locally|today|here|right|at|the|moment|in|on|ci|main))*"
_STATES = re.compile(
    rf"""(?:
    (?:all\ |the\ |our\ |\d+\ )*(?:unit\ |integration\ |e2e\ |end-to-end\ )?
      (?:tests?|test\ suite|checks|ci|build|lint|linter|type\ ?check|pipeline)\s
      (?:(?:are|is|was|were|have|has|now|all|still|currently|been)\ )*
      (?:pass(?:es|ed|ing)?|green|red|fail(?:s|ed|ing)?|succeed(?:s|ed)?|clean|running|done){_NOW}
    |(?:(?:i|we|the\ agent)(?:\ am|'m|\ are|'re|\ is)?\ )?(?:(?:still|now|currently|busy)\ )*
      (?:working|continuing)\ (?:on|with)\ .+
    |(?:i|we)\ (?:have\ )?(?:just|now)\s
      (?:finished|committed|pushed|ran|started|fixed|updated|merged|opened|checked)\ .+
    |(?:just\ )?(?:committed|pushed|merged)\ (?:it|this|the\ (?:changes?|branch|fix|commit)|to)\ ?.*
    |(?:currently|right\ now|at\ the\ moment),?\ .+ing\ .+
    |(?:work|task|session|refactoring|migration)?\ ?(?:is\ )?(?:still\ )?in\ progress{_NOW}
    |(?:waiting|blocked)(?:\ (?:for|on)\ .+)?
    |(?:everything|all|it)\ (?:works|is\ (?:done|fine|well|green|ready)){_NOW}
    |(?:done|finished|completed?|ok|no\ errors){_NOW}
    )""",
    re.I | re.X,
)
_PLANS = re.compile(
    r"""(?:
    (?:next|then|now|later|tomorrow|afterwards|after\ that),?\s
      (?:i|we)(?:'ll|'m\ going\ to|\ (?:will|(?:am|are)\ going\ to|plan\ to|need\ to))\ .+
    |(?:i|we)(?:\ am|'m|\ are|'re)\ (?:now\ )?(?:going|about)\ to\ .+
    |i(?:'ll|\ will|\ plan\ to|\ intend\ to)\ (?!never|not|always).+
    |(?:the\ )?next\ (?:steps?|up|task)(?:\ (?:is|are))?\s*(?::|to\b).*
    |to-?do\b:?.*
    |let\ me\ .+
    |let's\ (?:now\ )?(?:see|start|try|look|continue|run|check)\b.*
    )""",
    re.I | re.X,
)
_FAILURE = (
    r"(?:429|5(?:00|02|03|04|29)|overloaded(?:_error)?|rate[ _-]?limit(?:ed|s|_error)?|"
    r"internal server error|service unavailable|bad gateway|gateway time-?out|"
    r"quota (?:is )?exceeded|too many requests|context (?:length|window) exceeded)"
).replace(" ", r"\ ")
_PROVIDERS = re.compile(
    rf"""(?:
    (?:\w+\ ){{0,2}}error\b.{{0,60}}{_FAILURE}.{{0,80}}
    |(?:(?:http|status|code|api)\ ?)*\W*{_FAILURE}(?:\W+(?:errors?|again|{_FAILURE}))*
    |(?:the\ |a\ |an\ |my\ |last\ |llm\ |model\ |api\ )*
      (?:request|call|api|model|provider|server|service|claude|openai|anthropic|gemini|gpt\S*|llm)s?\s
      (?:\w+\ ){{0,4}}?(?:failed|errored|returned|returns|is|was|were|got|hit|gave|responded|said)\s
      .{{0,40}}{_FAILURE}.{{0,60}}
    |(?:i|we)\ (?:got|hit|were|was|ran\ into|received|reached)\ .{{0,40}}{_FAILURE}.{{0,60}}
    |\{{\s*"type"\s*:\s*"error".*
    |(?:please\ )?(?:try|retry)(?:ing)?\ again(?:\ later)?
    |(?:please\ )?retry(?:ing)?(?:\ (?:later|soon))?
    )""",
    re.I | re.X,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def no_fact(text: str, kind: str = "insight") -> str:
    """Return why a text is no fact worth a person's look, empty if it may be one.

    It is none if each of its sentences, short and without a word that gives a reason or a rule,
    tells of the moment, of a plan, or of an error of a provider. A decision or a preference may
    sound like a plan.
    """
    if len(text) > CONTENT[1]:
        return ""
    sentences = [part.strip(" \t-*>#`.!;…") for part in _SENTENCE.split(text)]
    told = [_told(sentence, kind) for sentence in sentences if sentence]
    return told[-1] if told and all(told) else ""


def _told(sentence: str, kind: str) -> str:
    if len(sentence.split()) > SHORT or _REASON.search(sentence):
        return ""
    if _PROVIDERS.fullmatch(sentence):
        return PROVIDER
    if _STATES.fullmatch(sentence):
        return STATE
    plans = kind not in ("decision", "user_preference") and _PLANS.fullmatch(sentence)
    return PLAN if plans else ""

"""Words that carry a sentence, deny, add, or are short for others."""

from __future__ import annotations

_LIGHT = """
a an the this that these those it its it's he his him her she they them their we our us you your i
my who whom whose which what there here of in on at to from by for with as into onto and or but if
when while than then so that's is are was were be been being am has have had do does did will would
can could also too just very still already now per each every both such about however
meanwhile moreover therefore thus because although though again said says eg ie vs
mr mrs ms dr inc corp ltd co llc gmbh jr sr
"""
LIGHT = frozenset(_LIGHT.split())
"""English words that carry a sentence and tell no fact."""

_UNSAID = "a an the this that these those its his her their our your my and or"
UNSAID = frozenset(_UNSAID.split())
"""Those of them with which a phrase may stand in the place of another."""

PARTICLES = frozenset("的了地得着之也就はがをにでのもๆ")
"""Characters that tell no fact in scripts without spaces between words."""

COURTESIES = (
    *("ครับ", "ค่ะ", "คะ", "จ้ะ", "จ้า", "นะ", "ด้วย", "แล้ว", "เลย"),
    *("吧", "呢", "啊", "呀", "啦", "ですね", "ですよ", "です"),
)
"""What politeness puts behind a sentence there."""

ADDING = ("和", "与", "與", "及", "และ", "กับ", "หรือ", *"二三四五六七八九十百千万億亿两兩")
"""What adds to a list, or counts, in such scripts."""

ABBREVIATED = {
    "admin": "administrator", "app": "application", "auth": "authentication",
    "config": "configuration", "db": "database", "dev": "development", "dir": "directory",
    "docs": "documentation", "env": "environment", "info": "information", "js": "javascript",
    "k8s": "kubernetes", "max": "maximum", "min": "minimum", "msg": "message",
    "postgresql": "postgres", "prod": "production", "repo": "repository",
    "spec": "specification", "ts": "typescript",
}  # fmt: skip
"""Words that are short for others."""

_DENIALS = """
not no never none nothing nobody nowhere without cannot dont cant wont isnt doesnt didnt neither nor
hardly barely unless except lack lacks lacking fails refuses refused declined denied avoid avoids
nicht kein keine keinen keiner keinem nie niemals ohne nichts weder
pas jamais sans aucun aucune rien nunca jamás sin ningún ninguna nada tampoco não nem sem
non mai senza nessun niet geen nooit zonder inte ingen aldrig ikke bez nigdy
değil yok không tidak bukan jangan
не нет ни нельзя никогда без ничего никто немає
لا ولا فلا بلا ما ليس ليست ليسوا لم ولم لن ولن بدون غير دون לא אין नहीं मत 안 못
"""
DENIALS = frozenset(_DENIALS.split())
"""Whole words that deny, in languages with spaces."""

SIGNS = (
    *("ไม่", "ห้าม", "มิ", "อย่า", "ปราศจาก", "ยกเว้น", "เลิก", "งด"),
    *("เปิด", "ปิด", "ก่อน", "หลัง", "เพิ่ม", "ลด", "อนุญาต"),
    *"不没沒無无非未勿否别別禁除开关開關启増增减升降前后後",
    *("ない", "なか", "なく", "ません", "ず", "ぬ", "않", "없", "아니", "못"),
)
"""What denies inside of a text without spaces, or turns it round."""

"""Questions that a search may trip over, and patterns that cost a careless matcher forever."""

from __future__ import annotations

QUESTIONS: tuple[str, ...] = (
    *("", " \n\t ", "\u200b", "\ufeff", "\x00", "\x00\x01\x1b[31m", "\ud800", "\udcff\ud83d"),
    *("!!! ??? ... ---", "\U0001f339\U0001f940\U0001f490", "\u202e\u2066\ufeff", "\n\n valve \n"),
    *("*", "**", "v*", "*v", "va?ve", "?", "????", "v" + "*" * 500, "?" * 900),
    *('"', '"unbalanced', "'", '"" ""', "(((", ")))", "(valve", "[TO]", "[a TO", "{a TO b}"),
    *("valve AND OR NOT", "AND", "NOT", "NOT valve", "-valve", "+valve", "--", "-" * 900),
    *("valve~", "valve~999999", "valve^99999999999", "valve^-1", "valve^1e400", "a:b:c", "::"),
    *("id:*", "id:k7f3q9xa", "path:../../etc/passwd", "title:(", "body:valve", "*:*", "no:such"),
    *("the of and", "the " * 240, "a", "I", "\u0e01", "\u6c34", "of"),
    *(
        "[[",
        "[[]]",
        "[[|]]",
        "[[../../etc/passwd]]",
        "[[" * 480,
        "../" * 300,
        "/",
        "C:\\",
        "\\" * 900,
    ),
    *("a" * 1000, "a" * 1001, "x" * 100_000, "valve " * 166, "\u00e9" * 999, "\u0e01" * 1000),
    *("(a+)+$", "^(a|a)*$", "(?:a{0,999}){0,999}", ".*.*=.*", "\\", "%00", "%s%s%n", "${valve}"),
    *("'; DROP TABLE chunks; --", "<script>alert(1)</script>", "{{valve}}", "<% valve %>"),
    *(
        "e\u0301" * 400,
        "Z\u0351\u036b\u0343" * 200,
        "\u1100\u1161\u11a8" * 200,
        "1" * 1000,
        "1e999",
    ),
    *("valve\u2028valve\u0085valve", "-1", "0", "NaN", "null", "true", "\U000e0041\U000e0042"),
)

PATTERNS: tuple[str, ...] = (
    *("", "(", "[", "*", "(?=a)", "(?<!a)b", r"(a)\1", "(?P<a>b)(?P=a)", "x" * 1001, "\ud800"),
    *(
        "(a+)+$",
        "^(a+)+$",
        ".*.*=.*",
        r"\s+$",
        "(.*)*=",
        "(a|a)*$",
        "(a|aa)+$",
        "(?:a{0,99}){0,99}",
    ),
    *("(?:a{0,999}){0,999}", "(?:a{0,65535}){0,65535}", "(.*)*=" * 150, "a{1,1000}" * 50),
    *(r"(?:\pL\pM*)*$", r"[\x{0}-\x{10ffff}]*$", "(" * 400 + ")" * 400, "|" * 900, "(?i)" * 200),
)

"""What a text states, as ``{name: {(value, how)}}``."""

from compat.probe.pasted.lines import Log


def stated(reader, text):
    found = {}
    for mention in reader(Log(text if isinstance(text, bytes) else text.encode())):
        found.setdefault(mention.name, set()).add((mention.value, mention.how))
    return found

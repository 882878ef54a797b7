"""Suite `tokenizers`: small tokenizers of every kind, trained here, and what `tokenizers` and SentencePiece make of texts
of every script, of emoji, marks, runs of spaces, and damaged UTF-8.

`--many N`: 10 N texts for each tokenizer. Characters are those of Unicode 8, since the tables in `tokenizers` are of several
versions. Trainers break ties as they like, so the files of another run may differ.
"""

import glob
import json
import os
import unicodedata

import numpy as np
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from golden import Suite, versions

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def suite(out, seed, many):
    return Suite(out, "tokenizers", seed, many, versions("tokenizers", "sentencepiece"))


# ---- texts ----

SCRIPTS = [
    (0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x531, 0x587), (0x5D0, 0x5EA),
    (0x620, 0x6FF), (0x700, 0x74F), (0x904, 0x96F), (0x985, 0x9F1), (0xA05, 0xA74), (0xB85, 0xBEF), (0xC05, 0xC6F),
    (0xD05, 0xD6F), (0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1200, 0x137C),
    (0x13A0, 0x13F5), (0x1780, 0x17F9), (0x1820, 0x1878), (0x1E00, 0x1FFE), (0x2C00, 0x2C5F), (0x3041, 0x30FF),
    (0x3105, 0x312F), (0x4E00, 0x9FA5), (0xA000, 0xA48C), (0xAC00, 0xD7A3), (0xFB00, 0xFB06), (0xFF01, 0xFFDC),
    (0x10330, 0x1034A), (0x10400, 0x1044F), (0x12000, 0x12399), (0x1D400, 0x1D7FF), (0x20000, 0x2A6D6),
]  # fmt: skip
SPACES = [*"        \t\n\n\r\v\f", "\r\n", "\x85", "\xa0", "\u1680", "\u180e", "\u2003", "\u200b", "\u2028", "\u202f", "\u3000"]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧", "🇩🇪", "🏳️‍🌈", "✨", "❤️", "1️⃣", "🧑🏿‍🚀", "♥", "‼️"]
MARKS = ["\u0300", "\u0301", "\u0308", "\u0323", "\u0327", "\u0345", "\u05b0", "\u064b", "\u093c", "\u0e49", "\u20dd", "\u302a"]
WORDS = """the of and Hello world don't I'LL we've it's HTTP 3.14159 1,000,000 x==y->z; foo_bar naïve café Straße ﬁne ﬀ İstanbul
ſ 'ſ K Å ΟΔΥΣΣΕΥΣ Ǆ ½ ² ⅷ ٣٤ ०१२ 𝟘𝟙 ▁ ▁▁ <s> </s> <|endoftext|> [CLS] [SEP] [MASK] <0x0A> <unk> [UNK] ⁇ don’t e\u0301 ー が か\u3099
<user> <user><user> http://x.y/z?a=b&c=d%20 __init__ ... ---- ==== #!/bin/sh \\n {\"a\":[1,2]} .. ! ? ,""".split()


def old(c):
    return unicodedata.ucd_3_2_0.category(c) != "Cn" or 0x2C00 <= ord(c) < 0x2C5F or 0x12000 <= ord(c) < 0x12399


def word(r):
    kind = r.integers(0, 12)
    if kind < 5:
        lo, hi = SCRIPTS[r.integers(0, len(SCRIPTS))]
        chars = [chr(c) for c in r.integers(lo, hi + 1, r.integers(1, 9))]
        return "".join(c for c in chars if old(c))
    if kind < 7:
        return WORDS[r.integers(0, len(WORDS))]
    if kind == 7:
        return EMOJI[r.integers(0, len(EMOJI))]
    if kind == 8:
        return "".join(["a", "e", "o", "ا", "ก", "か"][r.integers(0, 6)] + MARKS[r.integers(0, len(MARKS))] for _ in range(3))
    if kind == 9:
        return "".join(SPACES[r.integers(0, len(SPACES))] for _ in range(r.integers(1, 6)))
    if kind == 10:
        return "".join(chr(c) for c in r.integers(0, 0x180, r.integers(1, 5)))
    return str(r.integers(0, 10 ** int(r.integers(1, 12))))


def damaged(r, text):
    b = bytearray(text)
    for _ in range(int(r.integers(1, 4))):
        at = int(r.integers(0, len(b) + 1))
        what = int(r.integers(0, 3))
        if what == 0 and b:
            del b[at % len(b)]
        elif what == 1:
            b[at:at] = bytes(r.integers(128, 256, int(r.integers(1, 4))).astype(np.uint8))
        else:
            b[at:at] = [b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe2\x82", b"\xf0\x9f\x98", b"\xff"][r.integers(0, 6)]
    return bytes(b)


def texts(s, n):
    """Some of the project's own lines, words of every script, a sixth of them damaged."""
    lines = corpus()
    for i in range(n):
        if i % 5 == 0:
            t = lines[s.rng.integers(0, len(lines))]
        else:
            glue = ["", " ", " ", "  "][s.rng.integers(0, 4)]
            t = glue.join(word(s.rng) for _ in range(s.rng.integers(1, 10)))
        b = t.encode("utf-8", "replace")
        d = damaged(s.rng, b) if i % 6 == 5 else b
        while not all(old(c) or c in t for c in d.decode("utf-8", "replace")):
            d = damaged(s.rng, b)
        yield d


def corpus():
    lines = []
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        with open(path) as f:
            lines += [x.rstrip("\n") for x in f if x.strip()]
    r = np.random.default_rng(7)
    lines += [" ".join(word(r) for _ in range(8)).replace("\n", " ").replace("\r", " ").replace("\0", "") for _ in range(400)]
    return lines + [f"naïve café Straße привет мир שלום 你好世界 こんにちは 안녕하세요 नमस्ते {e}" for e in EMOJI] * 3


def common():
    """The lines of the corpus without the characters that are rare in it."""
    count = {}
    for line in corpus():
        for c in line:
            count[c] = count.get(c, 0) + 1
    return ["".join(c for c in line if count[c] > 40) for line in corpus()]


# ---- tokenizers ----

BYTES = pre_tokenizers.ByteLevel.alphabet()
FALLBACK = [f"<0x{b:02X}>" for b in range(256)]


def trained(t, trainer):
    t.train_from_iterator(corpus(), trainer)
    return t


def byte_bpe(size, special, pre, norm=None, post=None, **how):
    t = Tokenizer(models.BPE(**how))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    if norm:
        t.normalizer = norm
    if post:
        t.post_processor = post
    return trained(t, trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=BYTES, show_progress=False))


def fallback_bpe(norm, pre, decoder, special, post=None, words=False):
    """words: merges do not go over words, as in SentencePiece; else over any, where there is no pre-tokenizer."""
    t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    t.normalizer, t.decoder = norm, decoder
    if words:
        t.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    elif pre:
        t.pre_tokenizer = pre
    trained(t, trainers.BpeTrainer(vocab_size=480, special_tokens=["<unk>", *special, *FALLBACK], limit_alphabet=80,
                                   max_token_length=12, show_progress=False))  # fmt: skip
    if post:
        t.post_processor = post(t)
    return unlisted(t, words)


def unlisted(t, words=False):
    """Bytes are pieces of the model, and no added tokens."""
    o = json.loads(t.to_str())
    if words:
        o["pre_tokenizer"] = None
    o["added_tokens"] = [x for x in o["added_tokens"] if x["content"] not in FALLBACK]
    return Tokenizer.from_str(json.dumps(o))


def template(single, **ids):
    return processors.TemplateProcessing(single=single, special_tokens=list(ids.items()))


def isolated(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def gpt2():
    return byte_bpe(320, ["<|endoftext|>"], pre_tokenizers.ByteLevel(add_prefix_space=False))


def roberta():
    return byte_bpe(320, ["<s>", "</s>", "<unk>"], pre_tokenizers.ByteLevel(add_prefix_space=True),
                    post=processors.RobertaProcessing(("</s>", 1), ("<s>", 0)))  # fmt: skip


def llama3():
    pre = pre_tokenizers.Sequence([isolated(LLAMA3), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    post = processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), template("<|begin_of_text|> $A", **{"<|begin_of_text|>": 0})]
    )
    return byte_bpe(320, ["<|begin_of_text|>", "<|endoftext|>"], pre, post=post, ignore_merges=True)


def qwen():
    pre = pre_tokenizers.Sequence([isolated(QWEN), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t = byte_bpe(320, ["<|endoftext|>"], pre, norm=normalizers.NFC())
    t.add_tokens([AddedToken("<user>", lstrip=True, rstrip=True, special=False, normalized=False)])
    t.add_tokens([AddedToken("foo_bar", single_word=True, normalized=True)])
    return t


def deepseek():
    parts = [isolated("[\r\n]"), isolated(r"\s?\p{L}+"), isolated(r"\s?\p{P}+"), isolated("[一-龥ࠀ-一가-퟿]+"),
             pre_tokenizers.Digits(individual_digits=True),
             pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]  # fmt: skip
    return byte_bpe(320, ["<|endoftext|>"], pre_tokenizers.Sequence(parts))


def llama2():
    norm = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    dec = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return fallback_bpe(norm, None, dec, ["<s>", "</s>"], lambda t: template("<s> $A </s>", **{"<s>": 1, "</s>": 2}),
                        words=True)  # fmt: skip


def mistral():
    meta = {"replacement": "▁", "prepend_scheme": "first", "split": False}
    dec = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return fallback_bpe(normalizers.NFKD(), pre_tokenizers.Metaspace(**meta), dec, ["<s>", "</s>", "[MASK]"])


def gemma():
    dec = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return fallback_bpe(normalizers.Replace(" ", "▁"), pre_tokenizers.Split(" ", "merged_with_previous"), dec, ["<s>", "</s>"])


def bert(lower):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=lower), pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    trained(t, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                                         limit_alphabet=150, show_progress=False))  # fmt: skip
    t.post_processor = template("[CLS] $A [SEP]", **{"[CLS]": 2, "[SEP]": 3})
    t.enable_truncation(12 if lower else 4000)
    return t


def clip():
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase(),
                                         normalizers.Strip()])  # fmt: skip
    pattern = r"<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    t.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    return trained(t, trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>", "<|endoftext|>"], limit_alphabet=100,
                                          end_of_word_suffix="</w>", show_progress=False))  # fmt: skip


def prefixed():
    t = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"))
    t.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous"),
                                               pre_tokenizers.Digits()])  # fmt: skip
    return trained(t, trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>"], limit_alphabet=60,
                                          continuing_subword_prefix="##", show_progress=False))  # fmt: skip


def words():
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Whitespace()
    return trained(t, trainers.WordLevelTrainer(vocab_size=200, special_tokens=["[UNK]", "[SEP]"], show_progress=False))


def unigram(fallback, norm=None, split=True):
    t = Tokenizer(models.Unigram())
    if norm:
        t.normalizer = norm
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=split)
    t.decoder = decoders.Metaspace()
    special = ["<unk>", "<s>", "</s>"] + (FALLBACK if fallback else [])
    t.train_from_iterator(common(), trainers.UnigramTrainer(vocab_size=200 + len(special), special_tokens=special,
                                                            unk_token="<unk>", show_progress=False))  # fmt: skip
    if fallback:
        t = unlisted(t)
        pieces = json.loads(t.to_str())["model"]["vocab"]
        t.model = models.Unigram([tuple(p) for p in pieces], 0, True)
        t.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    return t


def of_tokenizers():
    made = [gpt2, roberta, llama3, qwen, deepseek, llama2, mistral, gemma, clip, prefixed, words]
    for f in made:
        yield f.__name__, f()
    yield "bert", bert(True)
    yield "bert_cased", bert(False)
    yield "unigram", unigram(False, split=False)
    yield "unigram_bytes", unigram(True)


RULES = "ﬁ\tfi\nﬀ\tff\n\uff21\tA\n\u212b\t\u00c5\ne\u0301\t\u00e9\n\u00a0\t \n\u3000\t \n\u200b\t\n\u2028\t \n½\t1/2\n\u304b\u3099\t\u304c\n"


def sentencepieces(s):
    rules = os.path.join(s.dir, "rules.tsv")
    with open(rules, "w") as f:
        for line in RULES.split("\n")[:-1]:
            a, b = line.split("\t")
            f.write(" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n")
    plain = {"normalization_rule_name": "identity"}
    kinds = {
        "sp_bpe": dict(model_type="bpe", vocab_size=480, byte_fallback=True, **plain),
        "sp_bpe_unknown": dict(model_type="bpe", vocab_size=300, user_defined_symbols=["<user>", "foo_bar", "▁▁"],
                               normalization_rule_tsv=rules),
        "sp_unigram": dict(model_type="unigram", vocab_size=280, normalization_rule_tsv=rules),
        "sp_unigram_bytes": dict(model_type="unigram", vocab_size=480, byte_fallback=True, add_dummy_prefix=False,
                                 remove_extra_whitespaces=False, user_defined_symbols=["<user>", "3.1"], **plain),
    }  # fmt: skip
    if s.many > 1:
        for name in ("nmt_nfkc", "nfkc_cf"):
            kinds["sp_" + name] = dict(model_type="unigram", vocab_size=1200, normalization_rule_name=name)
    for name, how in kinds.items():
        path = os.path.join(s.dir, name)
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(common()), model_prefix=path, character_coverage=1.0,
                                                 minloglevel=2, hard_vocab_limit=False, num_threads=1, **how)  # fmt: skip
        os.unlink(path + ".vocab")
        yield name, sentencepiece.SentencePieceProcessor(model_file=path + ".model")
    os.unlink(rules)


# ---- cases ----


def flat(parts, dtype):
    ends = np.cumsum([len(p) for p in parts], dtype=np.int64)
    if dtype == np.uint8:
        return np.frombuffer(b"".join(parts), np.uint8), ends
    return np.asarray([x for p in parts for x in p], np.int32), ends


def case(s, name, path, special, encode, decode, size):
    inputs = list(texts(s, 10 * s.many))
    ids = [encode(t) for t in inputs]
    drawn = [[int(x) for x in s.rng.integers(0, size, s.rng.integers(1, 12))] for _ in range(4 * s.many)]
    outs = [ids, [decode(i, False).encode() for i in ids], [decode(i, True).encode() for i in drawn]]
    s.case(
        name, "tokenizer", "tokenizer", {"path": path, "special": special},
        [*flat(inputs, np.uint8), *flat(drawn, np.int32)],
        [*flat(outs[0], np.int32), *flat(outs[1], np.uint8), *flat(outs[2], np.uint8)],
    )  # fmt: skip


def of_tokenizer(s, name, path, t, special=None):
    def encode(b):
        return t.encode(b.decode("utf-8", "replace")).ids

    def decode(ids, special):
        return t.decode(ids, skip_special_tokens=not special)

    case(s, name, path, special, encode, decode, t.get_vocab_size())


def precompiled(s, blob):
    """The JSON form of a SentencePiece model's map of characters."""
    return unigram(False, normalizers.Precompiled(blob))


def training(s):
    """The merges that byte-level BPE learns from one text."""
    lines = corpus()
    text = "\n".join(lines if s.many > 1 else lines[-440:-420] + ["the then there a aa aaa aaaa aaaaa banana bananas"] * 2)
    size = 3000 if s.many > 1 else 330
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator([text], trainers.BpeTrainer(vocab_size=size, special_tokens=["<|endoftext|>", "<s>"],
                                                      initial_alphabet=BYTES, show_progress=False))  # fmt: skip
    merges = json.loads(t.to_str())["model"]["merges"]
    out = "".join(f"{a} {b}\n" for a, b in merges).encode()
    s.case("train", "tokenizer", "train", {"size": size, "special": "<|endoftext|> <s>"},
           [np.frombuffer(text.encode(), np.uint8)], [np.frombuffer(out, np.uint8)])  # fmt: skip


def fill(s):
    training(s)
    for name, t in of_tokenizers():
        t.save(os.path.join(s.dir, name + ".json"), pretty=False)
        of_tokenizer(s, name, name + ".json", t)
        if name == "gpt2":
            t.model.save(s.dir, "gpt2")
            of_tokenizer(s, "gpt2_pairs", "gpt2-vocab.json", t, "<|endoftext|>")
    for name, sp in sentencepieces(s):
        size = sp.vocab_size()
        case(s, name, name + ".model", None, lambda b, sp=sp: sp.encode(b, out_type=int), lambda i, _, sp=sp: sp.decode(i), size)
        if name in ("sp_unigram", "sp_nmt_nfkc"):
            from sentencepiece import sentencepiece_model_pb2 as pb

            proto = pb.ModelProto()
            with open(os.path.join(s.dir, name + ".model"), "rb") as f:
                proto.ParseFromString(f.read())
            t = precompiled(s, proto.normalizer_spec.precompiled_charsmap)
            t.save(os.path.join(s.dir, "mapped_" + name + ".json"), pretty=False)
            of_tokenizer(s, "mapped_" + name, "mapped_" + name + ".json", t)

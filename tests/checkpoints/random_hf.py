"""Random checkpoints of the four families, for make_hf.py --random N: sizes, settings, names and layouts as they may lie in a
folder of Hugging Face's, beyond those of the six cases. Each setting is drawn on its own, so that pairs of them meet."""
import json, math, random
import torch
from make_hf import ACT, WORDS, attend, bpe, encode_bpe, encode_wordpiece, lin, ln, save, wordpiece

ACTS = {'gelu': ACT['gelu'], 'gelu_python': ACT['gelu'], 'relu': torch.relu, 'silu': lambda x: x * torch.sigmoid(x),
        'gelu_new': ACT['gelu_new'], 'gelu_fast': ACT['gelu_new'], 'gelu_pytorch_tanh': ACT['gelu_new']}
# The names of each family's parts: prefix, table, positions, attention, feed-forward, norms.
BERT = {'prefix': 'bert.', 'at': 'encoder.layer.{}.', 'q': ['attention.self.query', 'attention.self.key', 'attention.self.value'], 'o': 'attention.output.dense',
        'n1': 'attention.output.LayerNorm', 'up': 'intermediate.dense', 'down': 'output.dense', 'n2': 'output.LayerNorm',
        'head': ('cls.predictions.transform.dense', 'cls.predictions.transform.LayerNorm', 'cls.predictions.bias', 'cls.predictions.decoder.weight')}
DISTIL = {'prefix': 'distilbert.', 'at': 'transformer.layer.{}.', 'q': ['attention.q_lin', 'attention.k_lin', 'attention.v_lin'], 'o': 'attention.out_lin',
          'n1': 'sa_layer_norm', 'up': 'ffn.lin1', 'down': 'ffn.lin2', 'n2': 'output_layer_norm',
          'head': ('vocab_transform', 'vocab_layer_norm', 'vocab_projector.bias', 'vocab_projector.weight')}


def encoder(n, w, s, ids, types):
    """Post-norm; w without the prefix."""
    x = w['embeddings.word_embeddings.weight'][ids] + w['embeddings.position_embeddings.weight'][:len(ids)]
    if types is not None: x = x + w['embeddings.token_type_embeddings.weight'][types]
    x = ln(w, 'embeddings.LayerNorm', x, s['eps']); hs, at = [x], []
    for i in range(s['layers']):
        p = n['at'].format(i)
        y, a = attend(*(lin(w, p + q, x) for q in n['q']), s['heads'], False, 1 / math.sqrt(s['d'] // s['heads']))
        x = ln(w, p + n['n1'], x + lin(w, p + n['o'], y), s['eps'])
        x = ln(w, p + n['n2'], x + lin(w, p + n['down'], ACTS[s['act']](lin(w, p + n['up'], x))), s['eps'])
        hs.append(x); at.append(a)
    if s['headless']: return hs, at, None
    dense, norm, bias, table = n['head']
    t = ln(w, norm, ACTS[s['act']](lin(w, dense, x)), s['eps'])
    return hs, at, t @ w[table if s['tie'] == 'own' else 'embeddings.word_embeddings.weight'].T + w[bias]


def decoder(w, s, ids):
    """Pre-norm; gpt2's maps are [in, out] and its three projections one."""
    neo = s['family'] == 'gpt_neo'; scale = 1 / math.sqrt(s['d'] // s['heads']) if s['scaled'] else 1.0
    x = w['wte.weight'][ids] + w['wpe.weight'][:len(ids)]; hs, at = [x], []
    for i in range(s['layers']):
        p = f'h.{i}.'; z = ln(w, p + 'ln_1', x, s['eps'])
        qkv = [lin(w, f'{p}attn.attention.{n}_proj', z) for n in 'qkv'] if neo else lin(w, p + 'attn.c_attn', z, True).split(s['d'], -1)
        y, a = attend(*qkv, s['heads'], True, scale, s['window'] if neo and s['kinds'][i] == 'local' else None)
        x = x + (lin(w, p + 'attn.attention.out_proj', y) if neo else lin(w, p + 'attn.c_proj', y, True))
        x = x + lin(w, p + 'mlp.c_proj', ACTS[s['act']](lin(w, p + 'mlp.c_fc', ln(w, p + 'ln_2', x, s['eps']), not neo)), not neo)
        hs.append(x); at.append(a)
    x = ln(w, 'ln_f', x, s['eps']); hs.append(x)
    return hs, at, x @ w['lm_head.weight' if s['tie'] == 'own' else 'wte.weight'].T


def make_random(folder, number, seed):
    r = random.Random(f'{seed}/{number}'); torch.manual_seed(r.randrange(2 ** 31)); pick = r.choice
    family = ['bert', 'distilbert', 'gpt2', 'gpt_neo'][number % 4]; masked = family in ('bert', 'distilbert')
    folder = folder / f'{family}-{seed}-{number}'; folder.mkdir(parents=True, exist_ok=True)
    text = ' '.join(r.choices(WORDS, k=r.randint(1, 14))).capitalize() + pick(['', '.', '!', ', creek'])
    tok, tables = wordpiece(pick([True, False])) if masked else bpe(r.randint(0, 99))
    v = tables if masked else tables[0]
    if masked and pick([True, False]):
        text = text.lower(); tok['normalizer'].update(lowercase=False)
    toks = encode_wordpiece(v, text) if masked else encode_bpe(tables, text)
    ids = [v[t] for t in toks]; T = len(ids)
    heads = pick([1, 2, 3, 5, 7])
    # At least 7 wide: the error of a LayerNorm over fewer numbers is not foretold by one pass in float32, which the tolerance is made of.
    d = heads * pick([n for n in (1, 2, 3, 5, 8, 12, 17, 32) if heads * n >= 7])
    s = {'family': family, 'heads': heads, 'd': d, 'layers': pick([1, 1, 2, 3, 6]), 'ff': pick([4 * d, 1, 37, 2 * d + 1]), 'P': pick([T, T + 1, 64, 512]),
         'V': len(v) + pick([0, 0, 1, 5, 64]), 'act': pick(list(ACTS)), 'eps': 1e-12 if family == 'distilbert' else pick([1e-12, 1e-5, 1e-6, .1]),
         'tie': pick(['absent', 'twice', 'own']), 'headless': masked and pick([False, False, True]), 'scaled': family == 'gpt2' and pick([True, True, False]), 'window': pick([1, 2, 3, T, 256])}
    g = lambda *size, k: torch.randn(*size) * k
    w = {}
    def table(n, rows): w[n] = g(rows, d, k=1 / math.sqrt(d))
    def dense(n, o, i, bias=True, conv=False):
        w[n + '.weight'] = g(*((i, o) if conv else (o, i)), k=1 / math.sqrt(i))
        if bias: w[n + '.bias'] = g(o, k=.1)
    def norm(n): w[n + '.weight'] = 1 + g(d, k=.1); w[n + '.bias'] = g(d, k=.1)
    types = None
    if masked:
        n = BERT if family == 'bert' else DISTIL
        s['types'] = pick([1, 2, 3]); table('embeddings.word_embeddings.weight', s['V']); table('embeddings.position_embeddings.weight', s['P']); norm('embeddings.LayerNorm')
        if family == 'bert': table('embeddings.token_type_embeddings.weight', s['types']); types = [r.randrange(s['types']) for _ in ids]
        for i in range(s['layers']):
            p = n['at'].format(i)
            for q in n['q']: dense(p + q, d, d)
            dense(p + n['o'], d, d); norm(p + n['n1']); dense(p + n['up'], s['ff'], d); dense(p + n['down'], d, s['ff']); norm(p + n['n2'])
        body = set(w)
        if not s['headless']: dense(n['head'][0], d, d); norm(n['head'][1]); w[n['head'][2]] = g(s['V'], k=.1)
        prefix, own, embedding = n['prefix'], n['head'][3], 'embeddings.word_embeddings.weight'
    else:
        gpt2 = family == 'gpt2'; table('wte.weight', s['V']); table('wpe.weight', s['P'])
        for i in range(s['layers']):
            p = f'h.{i}.'; norm(p + 'ln_1'); norm(p + 'ln_2')
            if gpt2: dense(p + 'attn.c_attn', 3 * d, d, conv=True)
            else: [dense(f'{p}attn.attention.{q}_proj', d, d, bias=False) for q in 'qkv']
            dense(p + ('attn.c_proj' if gpt2 else 'attn.attention.out_proj'), d, d, conv=gpt2)
            dense(p + 'mlp.c_fc', s['ff'], d, conv=gpt2); dense(p + 'mlp.c_proj', d, s['ff'], conv=gpt2)
        norm('ln_f'); body = set(w); prefix, own, embedding = 'transformer.', 'lm_head.weight', 'wte.weight'
    bf16 = set()
    dtypes = pick([['F32'], ['F16'], ['BF16'], ['F64'], ['F32', 'F16', 'BF16', 'F64']])
    for k in list(w):
        kind = pick(dtypes)
        if kind == 'F16': w[k] = w[k].half()
        if kind == 'F64': w[k] = w[k].double().float().double()
        if kind == 'BF16': w[k] = w[k].bfloat16().float(); bf16.add(k)
    if s['headless']: s['tie'] = 'absent'
    if s['tie'] == 'twice': w[own] = w[embedding].clone(); bf16 |= {own} if embedding in bf16 else set()
    if s['tie'] == 'own': w[own] = g(s['V'], d, k=1 / math.sqrt(d))
    c = configure(s, pick, r)
    if s['tie'] == 'own' and pick([True, False]): c['tie_word_embeddings'] = False
    I = torch.tensor(ids); Y = None if types is None else torch.tensor(types); out = {}
    for dt in (torch.float64, torch.float32):
        cast = {k: t.to(dt) for k, t in w.items()}
        hs, at, logits = encoder(n, cast, s, I, Y) if masked else decoder(cast, s, I)
        out[dt] = {**{f'hidden.{i}': x for i, x in enumerate(hs)}, **{f'attention.{i}': x for i, x in enumerate(at)}, **({} if logits is None else {'logits': logits})}
    tol = {k: float(max(16 * (out[torch.float32][k].double() - x).abs().max(), 1e-6 * x.abs().max())) for k, x in out[torch.float64].items()}
    # Names and layout of the file.
    P, L = s['P'], s['layers']
    w.update(buffers(family, P, L) if pick([True, False]) else {}); body |= {k for k in w if k.endswith(('position_ids', 'attn.bias', 'attention.bias', 'masked_bias'))}
    if pick([True, False]): w.update({'classifier.weight': torch.zeros(2, d), 'qa_outputs.bias': torch.zeros(2), 'nothing': torch.zeros(0, 3)})
    pre = pick([prefix, '']); wrapped = pick(['', '', '', 'module.']); old = pick([False, False, True])
    def named(k):
        if old and ('LayerNorm' in k or 'layer_norm' in k or 'ln_' in k): k = k.replace('.weight', '.gamma').replace('.bias', '.beta') if k in w and k in body or 'transform' in k else k
        return k
    final = {wrapped + (pre if k in body else '') + named(k): (k, t) for k, t in w.items()}
    order = list(final); r.shuffle(order)
    for path in folder.glob('model*'): path.unlink()
    parts = pick([1, 1, 1, 3]); files = [f'model-{i + 1:05}-of-{parts:05}.safetensors' for i in range(parts)] if parts > 1 else ['model.safetensors']
    for i, file in enumerate(files):
        mine = order[i::parts]
        save(folder / file, {k: final[k][1] for k in mine}, pick([None, {'format': 'pt'}]), bf16={k for k in mine if final[k][0] in bf16})
    if parts > 1: (folder / 'model.safetensors.index.json').write_text(json.dumps({'metadata': {'total_size': 0}, 'weight_map': {k: files[i % parts] for i, k in enumerate(order)}}))
    save(folder / 'expected.safetensors', {'ids': I, **out[torch.float64]})
    case = {'text': text, 'tokens': toks, 'ids': ids, **({} if types is None else {'types': types}), 'tolerance': tol, 'drawn': {**s, 'prefix': pre, 'wrapped': wrapped, 'old': old, 'parts': parts, 'dtypes': dtypes}}
    for file, x in (('config.json', c), ('tokenizer.json', tok), ('case.json', case)): (folder / file).write_text(json.dumps(x, ensure_ascii=False) + '\n')


def configure(s, pick, r):
    """config.json; what Hugging Face has by default may be left out, null stands for it too."""
    family, d = s['family'], s['d']
    if family == 'bert':
        s_, defaults = {'hidden_size': d, 'num_hidden_layers': s['layers'], 'num_attention_heads': s['heads'], 'intermediate_size': s['ff'], 'max_position_embeddings': s['P'], 'vocab_size': s['V'],
                        'hidden_act': s['act'], 'type_vocab_size': s['types'], 'layer_norm_eps': s['eps']}, {'hidden_act': 'gelu', 'type_vocab_size': 2, 'layer_norm_eps': 1e-12, 'max_position_embeddings': 512}
        c = {'architectures': pick([['BertForMaskedLM'], ['BertModel'], ['BertForSequenceClassification'], None]), **pick([{}, {'position_embedding_type': 'absolute', 'is_decoder': False, 'add_cross_attention': False}]), **s_}
    elif family == 'distilbert':
        s_, defaults = {'dim': d, 'n_layers': s['layers'], 'n_heads': s['heads'], 'hidden_dim': s['ff'], 'max_position_embeddings': s['P'], 'vocab_size': s['V'], 'activation': s['act']}, {'activation': 'gelu', 'max_position_embeddings': 512}
        c = {**pick([{}, {'sinusoidal_pos_embds': True, 'qa_dropout': .1, 'seq_classif_dropout': .2}]), **s_}
    elif family == 'gpt2':
        s_, defaults = {'n_embd': d, 'n_layer': s['layers'], 'n_head': s['heads'], 'n_inner': None if s['ff'] == 4 * d else s['ff'], 'n_positions': s['P'], 'vocab_size': s['V'], 'activation_function': s['act'], 'layer_norm_epsilon': s['eps'], 'scale_attn_weights': s['scaled']}, {'activation_function': 'gelu_new', 'layer_norm_epsilon': 1e-5, 'scale_attn_weights': True, 'n_inner': None}
        c = {**pick([{}, {'n_ctx': s['P']}, {'reorder_and_upcast_attn': True, 'scale_attn_by_inverse_layer_idx': False, 'summary_type': 'cls_index'}]), **s_}
    else:
        kinds = s['kinds'] = [r.choice(['global', 'local']) for _ in range(s['layers'])]
        if s['layers'] % 2 == 0 and pick([True, False]): s['kinds'] = kinds = ['global', 'local'] * (s['layers'] // 2)
        types = pick([[[kinds, 1]], [[[k], 1] for k in kinds]])
        if kinds == ['global', 'local'] * (s['layers'] // 2): types = [[['global', 'local'], s['layers'] // 2]]
        s_, defaults = {'hidden_size': d, 'num_layers': s['layers'], 'num_heads': s['heads'], 'intermediate_size': None if s['ff'] == 4 * d else s['ff'], 'max_position_embeddings': s['P'], 'vocab_size': s['V'], 'activation_function': s['act'], 'layer_norm_epsilon': s['eps'], 'window_size': s['window']}, {'activation_function': 'gelu_new', 'layer_norm_epsilon': 1e-5, 'window_size': 256, 'intermediate_size': None}
        c = {**pick([{'attention_types': types}, {'attention_types': types, 'attention_layers': kinds}, {'attention_layers': kinds}]), **s_}
    for k, value in defaults.items():
        if c[k] == value and pick([True, False]): del c[k]
    return {'model_type': family, **pick([{}, {'torch_dtype': 'float16', 'transformers_version': '4.40.0', 'tie_word_embeddings': True} if s['tie'] != 'own' else {'torch_dtype': 'float32'}]), **c}


def buffers(family, P, L):
    if family == 'bert': return {'embeddings.position_ids': torch.arange(P)[None], 'embeddings.token_type_ids': torch.zeros(1, P, dtype=torch.long)}
    if family == 'distilbert': return {'embeddings.position_ids': torch.arange(P)[None]}
    at = 'attn' if family == 'gpt2' else 'attn.attention'
    mask = torch.ones(P, P, dtype=torch.bool).tril()[None, None]
    return {k: t for i in range(L) for k, t in ((f'h.{i}.{at}.bias', mask), (f'h.{i}.{at}.masked_bias', torch.tensor(-1e9)))}

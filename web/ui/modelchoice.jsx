// The dialog to choose a model: its provider, key and address, with a test; or the browser's
// own model.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { settings, variable, withScheme } from './settings.js'
import { Copy } from './copy.jsx'
import { Dialog } from './ask.jsx'
import { visible } from './diff.jsx'
import { count } from './usage.js'
import { faultText } from './texts.js'
import { choosing, provider, rows } from './models.js'

/** The entry for the browser's own model in the list of providers, if the browser has one. */
const device = 'device'
const hasDevice = 'LanguageModel' in globalThis

const local = {
  ollama: { does: 'Ollama answers this page if it is started so:', line: () => `OLLAMA_ORIGINS=${location.origin} ollama serve` },
  lmstudio: { does: 'LM Studio answers this page if its server is started so:', line: () => 'lms server start --cors' },
}

/** Returns the host to which a key is sent; the text itself if it is not a URL yet. */
function host(address) {
  try {
    return new URL(address).host || address
  } catch {
    return address
  }
}

/** Returns why this page cannot reach an address, "" if no reason is known. */
function whyUnreachable(address) {
  try {
    const { protocol, hostname } = new URL(address)
    if (protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname))) return ''
    return protocol === 'http:' ? `This page reaches http addresses on this computer only. Give ${visible(hostname)} an https address, or forward a port of localhost to it.` : 'Write an address that begins with https://.'
  } catch {
    return 'Write an address like https://api.example.com/v1.'
  }
}

export function Choice() {
  const now = store.about.value?.model ?? ''
  const row = provider(now)
  const [name, setName] = useState(row?.name ?? (hasDevice && now === 'device:' ? device : rows()[0].name))
  const [own, setOwn] = useState(null) // a provider that is not in the list yet: its name
  const [model, setModel] = useState(row ? now.slice(now.indexOf(':') + 1) : '')
  const [key, setKey] = useState(null) // null: the kept key
  const [base, setBase] = useState(null)
  const [offers, setOffers] = useState(null) // the models of the provider; null: not asked yet
  const [everywhere, setEverywhere] = useState(!settings.model || store.assisting.value)
  const chosen = own === null ? rows().find((p) => p.name === name) ?? { name: device, noKey: true, baseURL: '' } : { name: own.trim().toLowerCase(), keyVar: variable(own, 'API_KEY'), noKey: true, baseURL: '' }
  const kept = settings.environment()
  const baseVar = variable(chosen.name, 'BASE_URL')
  const address = withScheme(base ?? kept[baseVar] ?? '') || chosen.baseURL || ''
  const leave = () => { choosing.value = false }
  const other = (provider) => {
    setOwn(provider === '' ? '' : null)
    if (provider) setName(provider)
    setKey(null)
    setBase(null)
    setOffers(null)
  }
  const unnamed = own !== null && !/^[a-z][a-z0-9_-]*$/.test(chosen.name)
  const bad = unnamed ? 'A name begins with a letter; letters, digits, - and _ follow.' : address || own !== null || base !== null ? whyUnreachable(address) : ''
  const list = async () => {
    const asking = {}
    setOffers({ asking })
    const environment = { ...kept, ...(key !== null && { [chosen.keyVar]: key.trim() }), ...(base !== null && own === null && { [baseVar]: withScheme(base) }) }
    const config = own === null ? settings.configuration() : settings.configuration({ [chosen.name]: address }, environment)
    const got = await store.golem.models(store.project.value, chosen.name, { ...store.options(), config, env: environment }).then((models) => ({ models }), (error) => ({ error }))
    setOffers((now) => (now?.asking === asking ? got : now)) // the person may have chosen another provider
  }
  const use = () => {
    if (!model.trim() || bad) return
    const stored = [
      own === null || settings.setProvider(chosen.name, address),
      key === null || settings.setVariable(chosen.keyVar, key.trim()),
      base === null || own !== null || settings.setVariable(baseVar, withScheme(base)),
      settings.setProject(store.project.value, { model: `${chosen.name}:${model.trim()}` }),
      !everywhere || settings.setModel(`${chosen.name}:${model.trim()}`),
    ]
    if (!stored.every(Boolean)) store.tell('this browser does not store settings for this page', 'warn')
    applyChoice(leave)
  }
  const help = local[chosen.name]
  const choice = (
      <div class="field">
        <label for="provider">Provider</label>
        <select id="provider" class="input" value={own === null ? name : ''} onChange={(e) => other(e.target.value)}>
          {hasDevice && <option value={device}>this browser’s own model, on this computer</option>}
          {rows().map((p) => <option key={p.name} value={p.name}>{p.name}{local[p.name] ? ', on this computer' : ''}</option>)}
          <option value="">another one, by its address…</option>
        </select>
      </div>
  )
  if (own === null && name === device) return <Device choice={choice} leave={leave} />
  return (
    <Dialog title="Choose a model" leave={leave} submit={use} buttons={<button class="button primary" disabled={!model.trim() || !!bad}>Use it</button>}>
      {choice}
      {hasDevice && <p class="note info">This browser has a model of its own: no key, and nothing leaves this computer. <button type="button" class="button small" onClick={() => other(device)}>See whether it is there</button></p>}
      {own !== null && <div class="field">
        <label for="provider-name">Name <span class="hint">as you want to call it, for example acme</span></label>
        <input id="provider-name" class="input mono" autocomplete="off" spellcheck={false} value={own} onInput={(e) => setOwn(e.target.value)} />
      </div>}
      <div class="field">
        <label for="model-name">Model <span class="hint">as the provider calls it, for example gpt-5-mini</span></label>
        <input id="model-name" class="input mono" data-first autocomplete="off" spellcheck={false} value={model} onInput={(e) => setModel(e.target.value)} />
      </div>
      {chosen.keyVar && (
        <div class="field">
          <label for="model-key">Key <span class="hint">{chosen.noKey ? 'if it needs one' : `for ${visible(host(address))}`}</span></label>
          <input id="model-key" class="input" type="password" autocomplete="off" spellcheck={false} value={key ?? kept[chosen.keyVar] ?? ''} onInput={(e) => setKey(e.target.value)} />
        </div>
      )}
      <div class="field">
        <label for="model-base">Address <span class="hint">{own === null ? 'only if it is another one' : 'of an endpoint that speaks as OpenAI’s does'}</span></label>
        <input id="model-base" class="input mono" autocomplete="off" spellcheck={false} placeholder={chosen.baseURL || 'https://'} value={base ?? kept[baseVar] ?? ''} onInput={(e) => setBase(e.target.value)} />
      </div>
      {bad && (own === null || base !== null || (unnamed && own)) && <p class="note warn" role="status">{bad}</p>}
      {help && <div class="note info"><p>{help.does}</p><div class="row"><code class="grow">{help.line()}</code><Copy text={help.line} name="this line" /></div></div>}
      <Offers offers={offers} provider={chosen.name} model={model.trim()} choose={setModel} list={list} barred={!!bad} />
      <label class="row"><input type="checkbox" checked={everywhere} onChange={(e) => setEverywhere(e.target.checked)} />Use it wherever a project names no model</label>
      <p class="small muted">The key is stored only in this browser, not encrypted, and is sent only to this address. Use one with a spending limit.</p>
    </Dialog>
  )
}

/** Closes the dialog and uses what was chosen, also in an open conversation. */
function applyChoice(leave) {
  leave()
  store.attempt('reading the project', async () => {
    if (store.talking.value) await store.remodel()
    await store.inspect()
  })
}

const states = {
  unavailable: 'This computer cannot run it: it needs more memory, storage or another graphics card.',
  downloadable: 'The browser has to download it once, which are some gigabytes.',
  downloading: 'The browser is downloading it.',
  available: 'It is there.',
}

/** The part of the dialog for the browser's own model: what it can do, its state, and its download. */
function Device({ choice, leave }) {
  const [state, setState] = useState('')
  const [part, setPart] = useState(null) // the downloaded part, 0 to 1; null: no download was started here
  const [wrong, setWrong] = useState(null)
  const look = (options) => store.golem.device(options).then(setState, setWrong)
  useEffect(() => { look() }, [])
  const download = () => {
    setPart(0)
    setWrong(null)
    look({ download: true, progress: setPart }).finally(() => setPart(null))
  }
  const use = () => {
    if (state !== 'available') return
    if (!settings.setProject(store.project.value, { model: 'device:' })) store.tell('this browser does not store settings for this page', 'warn')
    applyChoice(leave)
  }
  return (
    <Dialog title="Choose a model" leave={leave} submit={use} buttons={<button class="button primary" disabled={state !== 'available'}>Use it</button>}>
      {choice}
      <p>It runs on this computer: it needs no key, costs nothing, and nothing that you write leaves the computer. It is a small model: it reads short texts only, no images, and uses tools less well than the models of providers.</p>
      <p role="status">{part !== null ? `The browser is downloading it: ${Math.floor(100 * part)} %` : states[state] ?? (wrong ? '' : 'looking…')}</p>
      {part !== null && <progress value={part} aria-label="downloaded" />}
      {state === 'downloadable' && part === null && <div class="row"><button type="button" class="button" onClick={download}>Download it</button></div>}
      {wrong && <p class="note error" role="alert">{visible(faultText(wrong))}</p>}
    </Dialog>
  )
}

/** The list of the provider's models, or the button that asks for it. */
function Offers({ offers, provider, model, choose, list, barred }) {
  if (!offers?.models) {
    return (
      <>
        <div class="row"><button type="button" class="button" disabled={!!offers?.asking || barred} onClick={list}>{offers?.asking ? 'Asking…' : `Test, and list the models of ${visible(provider) || 'this provider'}`}</button></div>
        {offers?.error && <p class="note error" role="alert">{visible(faultText(offers.error))}</p>}
      </>
    )
  }
  const names = offers.models.map((o) => ({ ...o, id: o.name.slice(provider.length + 1) }))
  const narrow = names.filter((o) => o.id.toLowerCase().includes(model.toLowerCase()))
  const shown = narrow.length && !narrow.some((o) => o.id === model) ? narrow : names
  return (
    <>
      <p class="small" role="status">{visible(provider)} answers: it has {count(names.length, 'model')}.</p>
      <select class="input mono" size={6} aria-label={`models of ${provider}`} value={model} onChange={(e) => choose(e.target.value)}>
        {shown.map((o) => <option key={o.id} value={o.id}>{[o.id, o.context && `${o.context} tokens`, o.price && `$${o.price.in} in, $${o.price.out} out a million`].filter(Boolean).join(' · ')}</option>)}
      </select>
    </>
  )
}

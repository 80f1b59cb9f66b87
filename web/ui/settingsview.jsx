// The settings view: providers and their keys, secrets, storage, theme and others.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { providers, settings, variable, withScheme } from './settings.js'
import { visible } from './diff.jsx'
import { bytes } from './size.js'
import { Icon } from './icons.jsx'
import { possible, wish } from './notify.js'

export function Settings() {
  const [colours, setColours] = useState(settings.theme)
  const [prompts, setPrompts] = useState(settings.prompts)
  const [forgotten, forget] = useState(0) // counts, because a component is drawn again only when its properties change
  const [tells, setTells] = useState(settings.notify)
  useEffect(() => setColours(settings.theme), [store.theme.value])
  return (
    <div class="page"><div class="inner">
      <h2>Settings</h2>
      <Keys forgotten={() => forget((n) => n + 1)} />
      <Secrets forgotten={forgotten} />
      <Search key={forgotten} />
      <Trust />
      <Rules />
      <Config />
      <Storage />
      <section class="stack">
        <h3>Traces</h3>
        <label class="row"><input type="checkbox" checked={prompts} onChange={(e) => { settings.prompts = e.target.checked; setPrompts(e.target.checked) }} />Keep the prompts of all workers with each trace</label>
        <p class="small muted">The view Trace then shows each turn with its prompt. The texts lie in the project, beside its traces, and take room.</p>
      </section>
      <section class="stack">
        <h3>In the background</h3>
        <label class="row"><input type="checkbox" checked={tells} disabled={!possible} onChange={async ({ target }) => setTells(target.checked = await wish(target.checked))} />Notify me when a run asks or ends while I look elsewhere</label>
        {!possible && <p class="small muted">This browser cannot show notifications. The window’s title shows (1) while a question waits for you, and ✓ when a run has ended in the background.</p>}
      </section>
      <section class="stack">
        <h3>Colours</h3>
        <div class="row">
          {['system', 'light', 'dark'].map((t) => <button key={t} class="button" aria-pressed={colours === t} onClick={() => { store.setTheme(t); setColours(t) }}>{t}</button>)}
        </div>
      </section>
      <p class="small muted">golem {store.golem.version}{store.golem.commit && ` (commit ${store.golem.commit}, ${store.golem.date})`}. Custom tools run on {'Suspending' in WebAssembly ? 'this browser’s own engine' : 'wazero, because this browser cannot suspend a module'}.</p>
    </div></div>
  )
}

function Keys({ forgotten }) {
  const [, again] = useState(0)
  const env = settings.environment()
  const set = (name, value) => {
    if (!settings.setVariable(name, value.trim())) store.tell('this browser does not store settings for this page', 'warn')
    again((n) => n + 1)
  }
  const named = (name, address) => {
    settings.setProvider(name, address) // without an address this removes the provider
    again((n) => n + 1)
  }
  const all = providers(store.golem)
  const [first] = useState(() => new Set(all.filter((p) => p.own || env[p.keyVar] || env[variable(p.name, 'BASE_URL')]).map((p) => p.name)))
  const used = all.filter((p) => first.has(p.name)) // as when the view was opened, so that no row moves while the person types
  const others = all.filter((p) => !first.has(p.name))
  const forget = () => {
    settings.forgetKeys()
    forgotten()
    store.tell('all keys, addresses and secrets are forgotten')
  }
  return (
    <section class="stack" aria-labelledby="keys">
      <h3 id="keys">Model providers</h3>
      <div class="note warn">
        Keys are kept in this browser only, in the clear: whoever can use this browser profile, and any script that this site’s owner
        serves, can read them. Use a key with a spending limit, made for this page. Keys go to their provider’s address and nowhere
        else; they are in no project, trace or export.
      </div>
      <Rows rows={used} env={env} set={set} named={named} />
      <details class="call">
        <summary><span class="chev"><Icon name="chevron" /></span><strong class="grow">Add a provider</strong><span class="small muted">{others.length}</span></summary>
        <div class="detail"><Rows rows={others} env={env} set={set} named={named} /></div>
      </details>
      {settings.model && <p class="row">Default model, where nothing names one: <code>{visible(settings.model)}</code><button class="button small" onClick={() => { settings.setModel(''); again((n) => n + 1) }}>Forget it</button></p>}
      <div class="row"><button class="button danger" disabled={store.framed} onClick={forget}>Forget all keys, addresses and secrets</button></div>
    </section>
  )
}

function Rows({ rows, env, set, named }) {
  if (!rows.length) return null
  return (
    <form onSubmit={(e) => e.preventDefault()}><table class="list keys" aria-label="Keys and addresses">
      <thead><tr><th scope="col">Provider</th><th scope="col">Key</th><th scope="col">Address</th></tr></thead>
      <tbody>
        {rows.map((p) => {
          const base = variable(p.name, 'BASE_URL')
          return (
            <tr key={p.name}>
              <th scope="row">{p.name}</th>
              <td>{p.keyVar && <input class="input" type="password" autocomplete="off" spellcheck={false} aria-label={`key of ${p.name}, ${p.keyVar}`} placeholder={p.own ? 'if it needs one' : p.noKey ? 'none needed' : p.keyVar}
                value={env[p.keyVar] ?? ''} onChange={(e) => set(p.keyVar, e.target.value)} />}</td>
              <td><input class="input" inputMode="url" spellcheck={false} aria-label={`address of ${p.name}, ${base}`} placeholder={p.baseURL} value={p.own ? p.baseURL : env[base] ?? ''} onChange={(e) => (p.own ? named(p.name, withScheme(e.target.value)) : set(base, withScheme(e.target.value)))} /></td>
            </tr>
          )
        })}
      </tbody>
    </table></form>
  )
}

/** The secrets for modules, by name. A stored value is never shown again. */
function Secrets() {
  const [, again] = useState(0)
  const names = Object.keys(settings.secrets).sort()
  const set = (name, value) => {
    if (!settings.setSecret(name, value)) store.tell('this browser does not store settings for this page', 'warn')
    again((n) => n + 1)
  }
  const add = (e) => {
    e.preventDefault()
    const { name, value } = e.target.elements
    const short = value.value.trim().length < 6
    value.setCustomValidity(short ? 'at least 6 characters: golem could not remove a shorter value from outputs and traces' : '')
    if (!e.target.reportValidity()) return
    set(name.value, value.value)
    e.target.reset()
  }
  return (
    <section class="stack" aria-labelledby="secrets">
      <h3 id="secrets">Secrets</h3>
      <p class="small">A project’s module gets one where a worker’s file says <code>{'config: {TOKEN: {secret: NAME}}'}</code> and you trust it. They are kept as keys are: in this browser only, in the clear.</p>
      {names.length > 0 && <table class="list" aria-label="Kept secrets"><tbody>{names.map((name) => (
        <tr key={name}>
          <th scope="row" class="mono">{name}</th>
          <td><button class="button danger" onClick={() => set(name)} aria-label={`Remove the secret ${name}`}>Remove</button></td>
        </tr>
      ))}</tbody></table>}
      <form class="row fields" aria-label="A secret" noValidate onSubmit={add}>
        <label class="field"><span class="label">Name</span><input class="input" name="name" required pattern="[A-Za-z][A-Za-z0-9_.\-]{0,63}" title="a letter, then letters, digits, _ . and -" spellcheck={false} autocomplete="off" aria-label="name of a secret" placeholder="NAME" /></label>
        <label class="field grow"><span class="label">Value</span><input class="input" name="value" type="password" required maxLength={8192} autocomplete="off" aria-label="value of the secret" placeholder="at least 6 characters" onInput={(e) => e.target.setCustomValidity('')} /></label>
        <button class="button">Keep</button>
      </form>
    </section>
  )
}

/** The provider of web_search, with its address and key. */
function Search() {
  const [search, setSearch] = useState(settings.search)
  const [, again] = useState(0)
  const known = store.golem.searches
  const row = known.find((s) => s.name === search.provider)
  const set = (next) => {
    if (!settings.setSearch(next)) store.tell('this browser does not store settings for this page', 'warn')
    setSearch(next)
  }
  const key = (value) => {
    if (!settings.setVariable(row.keyVar, value.trim())) store.tell('this browser does not store settings for this page', 'warn')
    again((n) => n + 1)
  }
  return (
    <section class="stack" aria-labelledby="web-search">
      <h3 id="web-search">Search</h3>
      <p class="small">Who answers <code>web_search</code>, in a worker with <code>{'toolsets: {web: {}}'}</code> and <code>{'sandbox: {network_enabled: true}'}</code>. No project can choose it. The provider has to allow pages to ask it (CORS).</p>
      {settings.ownWeb
        ? <p class="note small">Your configuration below says <code>web:</code>, and so decides: write <code>{'web: {search: {provider: …}}'}</code> there.</p>
        : <form class="row fields" aria-label="Search" onSubmit={(e) => e.preventDefault()}>
            <label class="field"><span class="label">Provider</span><select class="input" aria-label="search provider" value={search.provider ?? ''} onChange={(e) => set(e.target.value ? { provider: e.target.value } : {})}>
              <option value="">none</option>
              {known.map((s) => <option key={s.name} value={s.name}>{s.name}</option>)}
            </select></label>
            {row && <label class="field grow"><span class="label">Address</span><input class="input" inputMode="url" spellcheck={false} aria-label={`address of ${row.name}`} placeholder={row.url || 'https://…'} value={search.url ?? ''} onChange={(e) => set({ ...search, url: withScheme(e.target.value) || undefined })} /></label>}
            {row?.keyVar && <label class="field"><span class="label">Key</span><input class="input" type="password" autocomplete="off" spellcheck={false} aria-label={`key of ${row.name}, ${row.keyVar}`} placeholder={row.keyVar} value={settings.environment()[row.keyVar] ?? ''} onChange={(e) => key(e.target.value)} /></label>}
          </form>}
      {row && !row.url && !search.url && <p class="note warn small">{row.name} has no address of its own: write that of yours.</p>}
    </section>
  )
}

/** The settings of the open project that reach beyond its sandbox, and which of them the person trusted. */
function Trust() {
  const name = store.project.value
  const [told, setTold] = useState(null)
  useEffect(() => {
    setTold(null)
    if (name) store.golem.trust(name, store.options()).then(setTold, () => setTold(null))
  }, [name])
  if (!name || !told) return null
  const forget = async () => {
    await store.attempt('nothing was forgotten', () => store.golem.distrust(name))
    setTold(await store.golem.trust(name, store.options()))
  }
  return (
    <section class="stack" aria-labelledby="trust">
      <h3 id="trust">Trust in {name}</h3>
      {told.widenings.length === 0
        ? <p class="muted small">The files of this project allow nothing beyond its sandbox.</p>
        : <>
            <p class="small">These settings of the project reach beyond its sandbox. They have no effect until you trust them; a run asks before it begins.</p>
            <table class="list" aria-label="Settings that reach beyond the sandbox">
              <thead><tr><th scope="col">Setting</th><th scope="col">What it means</th><th scope="col">Trusted</th></tr></thead>
              <tbody>{told.widenings.map((w) => (
                <tr key={w.file + w.path + w.value + w.module}>
                  <th scope="row"><span class="mono">{visible(w.path)}: {visible(w.value)}</span> <span class="small muted">{visible(w.at)}</span></th>
                  <td class="small">{visible(w.means)}</td><td>{w.trusted ? 'yes' : 'no'}</td>
                </tr>
              ))}</tbody>
            </table>
            {told.widenings.some((w) => w.trusted) && <div class="row"><button class="button danger" disabled={store.framed} onClick={forget}>Forget what was trusted</button></div>}
          </>}
    </section>
  )
}

/** The approval rules that the person keeps for the open project. */
function Rules() {
  const name = store.project.value
  const [rules, setRules] = useState([])
  useEffect(() => {
    setRules([])
    if (name) store.golem.rules(name).then(setRules, () => setRules([]))
  }, [name])
  if (!name || rules.length === 0) return null
  const remove = async (n) => {
    await store.attempt('the rule was not removed', () => store.golem.removeRule(name, n, rules[n - 1]))
    setRules(await store.golem.rules(name))
  }
  return (
    <section class="stack" aria-labelledby="rules">
      <h3 id="rules">Calls that do not ask in {name}</h3>
      <table class="list" aria-label="Kept rules"><tbody>{rules.map((yaml, i) => (
        <tr key={yaml}>
          <th scope="row"><span class="mono">{visible(yaml)}</span></th>
          <td><button class="button danger" onClick={() => remove(i + 1)} aria-label={`Remove ${visible(yaml)}`}>Remove</button></td>
        </tr>
      ))}</tbody></table>
    </section>
  )
}

/** The person's config.yaml, which applies to all projects of this browser. */
function Config() {
  const [text, setText] = useState(settings.config)
  const [faults, setFaults] = useState([])
  const save = async () => {
    const found = await store.golem.checkConfig(text)
    setFaults(found)
    if (found.length) return
    store.tell(settings.setConfig(text.trim() ? text : '') ? 'your configuration is saved' : 'this browser does not store settings for this page', 'info')
    if (store.project.value) await store.attempt('the project cannot be read', store.inspect)
  }
  return (
    <section class="stack" aria-labelledby="config">
      <h3 id="config">Your configuration</h3>
      <p class="small">A config.yaml of your own, for all projects in this browser: <code>model</code>, <code>providers</code>, <code>approval</code>, <code>limits</code>, <code>delegation</code>, and <code>projects</code> by name (<code>/NAME</code>). Its limits, <code>ask</code> and <code>blocked</code> hold over every project’s files.</p>
      <textarea class="input mono" rows={6} spellcheck={false} aria-label="config.yaml" value={text} onInput={(e) => setText(e.target.value)} />
      {faults.map((f) => <p class="note error" key={f.message}>{f.where?.line ? `line ${f.where.line}: ` : ''}{f.message}{f.hint ? ` (${f.hint})` : ''}</p>)}
      <div class="row"><button class="button" onClick={save}>Save</button></div>
    </section>
  )
}

function Storage() {
  const s = store.storage.value
  const persist = async () => {
    const yes = await navigator.storage.persist()
    store.tell(yes ? 'the browser will keep your projects' : 'the browser did not agree; it may clear projects when space runs out. Export what you need.', yes ? 'info' : 'warn')
    await store.look()
  }
  if (!s) return null
  const part = s.quota ? Math.max(0.5, (100 * s.usage) / s.quota) : 0
  return (
    <section class="stack" aria-labelledby="storage">
      <h3 id="storage">Storage</h3>
      <p>{bytes(s.usage)} of {bytes(s.quota)} that the browser lends.</p>
      <div class="progress" role="img" aria-label={`${part.toFixed(1)} percent used`}><div style={{ width: `${part}%` }} /></div>
      {store.persisted.value
        ? <p class="muted small">Projects are kept until you delete them.</p>
        : <div class="row"><span class="muted small grow">The browser may clear projects when space runs out.</span><button class="button" onClick={persist}>Ask the browser to keep them</button></div>}
    </section>
  )
}

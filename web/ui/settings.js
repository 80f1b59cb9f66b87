// What this browser stores for the person: theme, last project, choices for each project,
// providers and their keys, secrets. None of it is ever in a project, a trace or an export
// (SECURITY 15). Browsers do not encrypt this storage; the settings view says so.

const place = 'golem.settings'
const keyPlace = 'golem.keys'
const secretPlace = 'golem.secrets'

function read(name) {
  try {
    const v = JSON.parse(localStorage.getItem(name) ?? '{}')
    return v && typeof v === 'object' ? v : {}
  } catch {
    return {} // a private window without storage, or a value that is not golem's
  }
}

function write(name, v) {
  try {
    localStorage.setItem(name, JSON.stringify(v))
    return true
  } catch {
    return false
  }
}

/** Returns the name of a provider's variable, as golem does. */
export const variable = (provider, what) => `${provider.trim().toUpperCase().replace(/[^A-Z0-9]/g, '_')}_${what}`

/** Returns all model providers: golem's, and those that the person added. */
export const providers = (golem) => [...golem.providers, ...Object.entries(settings.providers).map(([name, baseURL]) => ({ name, baseURL, keyVar: variable(name, 'API_KEY'), noKey: true, own: true }))]

/** Returns an address with a scheme. If it has none, it gets http for this computer and https for others. */
export function withScheme(address) {
  const text = address.trim()
  if (!text || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text
  return `${/^(localhost|127\.0\.0\.1)([:/]|$)/.test(text) ? 'http' : 'https'}://${text}`
}

const widest = new Set() // the projects for which the person said yes to all approvals, until the page is closed

export const settings = {
  /** light, dark or system. The stored field theme is ignored: older versions wrote it although the person had not chosen. */
  get theme() {
    return read(place).colours ?? 'system'
  },
  set theme(v) {
    if (v !== this.theme) write(place, { ...read(place), colours: v, theme: undefined })
  },
  get last() {
    return read(place).last ?? ''
  },
  set last(v) {
    write(place, { ...read(place), last: v })
  },
  /** Whether the person has closed the note that is shown after the first run. */
  get onward() {
    return read(place).onward === true
  },
  set onward(v) {
    write(place, { ...read(place), onward: v })
  },
  /** Whether notifications are on; below, whether keyboard shortcuts are on. */
  get notify() {
    return read(place).notify === true
  },
  set notify(v) {
    write(place, { ...read(place), notify: v })
  },
  get keys() {
    return read(place).keys !== false
  },
  set keys(v) {
    write(place, { ...read(place), keys: v })
  },
  /** Whether runs keep their prompts beside their traces. */
  get prompts() {
    return read(place).prompts === true
  },
  set prompts(v) {
    write(place, { ...read(place), prompts: v })
  },
  /** The choices for one project: model, approval, entry, talk. A yes to all approvals is not stored: it ends with the page. */
  project(name) {
    const { approval, ...rest } = read(place).projects?.[name] ?? {}
    const now = widest.has(name) ? 'approve_all' : approval === 'approve_all' ? '' : approval
    return now === undefined ? rest : { ...rest, approval: now }
  },
  setProject(name, choice) {
    if (choice.approval !== undefined) widest.delete(name)
    if (choice.approval === 'approve_all') {
      widest.add(name)
      choice = { ...choice, approval: '' }
    }
    const all = read(place)
    const projects = { ...all.projects, [name]: { ...all.projects?.[name], ...choice } }
    return write(place, { ...all, projects })
  },
  renameProject(name, to) {
    const mine = this.project(name)
    this.forgetProject(to)
    this.setProject(to, mine)
    this.forgetProject(name)
    if (this.last === name) this.last = to
  },
  forgetProject(name) {
    widest.delete(name)
    const all = read(place)
    const projects = { ...all.projects }
    delete projects[name]
    write(place, { ...all, projects })
  },
  /** The person's configuration, the text of a config.yaml. */
  get config() {
    return read(place).config ?? ''
  },
  setConfig(text) {
    return write(place, { ...read(place), config: text || undefined })
  },
  /** Providers that the person added: their addresses by name. */
  get providers() {
    return read(place).providers ?? {}
  },
  setProvider(name, address) {
    const all = { ...this.providers }
    if (address) all[name] = address
    else delete all[name]
    return write(place, { ...read(place), providers: all })
  },
  /** The person's default model, for what names none, as golem login sets it; '' if none was chosen. */
  get model() {
    return read(place).model ?? ''
  },
  setModel(model) {
    return write(place, { ...read(place), model: model || undefined })
  },
  /** The provider of web_search and, if it is not the provider's default, its url. */
  get search() {
    return read(place).search ?? {}
  },
  setSearch(search) {
    return write(place, { ...read(place), search: search.provider ? search : undefined })
  },
  /** Whether the person's config.yaml has the key web, which then replaces the setting search. */
  get ownWeb() {
    return /^["']?web["']?[ \t]*:/m.test(this.config)
  },
  /** Returns the person's config.yaml, with the default model, the setting search and the added providers; more has further providers in the same form. */
  configuration(more = {}, keys = this.environment()) {
    const { provider, url } = this.search
    let own = this.config
    if (this.model && !/^["']?model["']?[ \t]*:/m.test(own)) own = `${own && `${own.trimEnd()}\n`}model: ${JSON.stringify(this.model)}\n`
    if (provider && !this.ownWeb) own = `${own && `${own.trimEnd()}\n`}web: {search: ${JSON.stringify(url ? { provider, url } : { provider })}}\n`
    const rows = Object.entries({ ...this.providers, ...more }).filter(([name]) => !new RegExp(`^ +${name}:`, 'm').test(own))
    if (!rows.length) return own
    const [, pad = '  '] = /^providers:[ \t]*\n(?:[ \t]*(?:#.*)?\n)*( +)\S/m.exec(own) ?? [] // all keys of a mapping have one indentation
    const lines = rows.map(([name, address]) => `${pad}${name}: {base_url: ${JSON.stringify(address)}${keys[variable(name, 'API_KEY')] ? `, api_key_env: ${variable(name, 'API_KEY')}` : ''}}\n`).join('')
    if (/^providers:[ \t]*$/m.test(own)) return own.replace(/^providers:[ \t]*$/m, (line) => `${line}\n${lines.trimEnd()}`)
    return /^providers:/m.test(own) ? own : `${own && `${own.trimEnd()}\n`}providers:\n${lines}`
  },
  /** Returns keys and base URLs as the environment variables that golem reads. */
  environment() {
    return Object.fromEntries(Object.entries(read(keyPlace)).map(([name, value]) => [name, name.endsWith('_BASE_URL') ? withScheme(String(value)) : value]))
  },
  setVariable(name, value) {
    const all = read(keyPlace)
    if (value) all[name] = value
    else delete all[name]
    return write(keyPlace, all)
  },
  /** The secrets for modules, by name (golem secret). */
  get secrets() {
    return read(secretPlace)
  },
  setSecret(name, value) {
    const all = read(secretPlace)
    if (value) all[name] = value
    else delete all[name]
    return write(secretPlace, all)
  },
  /** What golem gets of these settings, for every project. */
  given() {
    return { env: this.environment(), secrets: this.secrets, config: this.configuration() || undefined }
  },
  forgetKeys() {
    localStorage.removeItem(keyPlace)
    localStorage.removeItem(secretPlace)
    write(place, { ...read(place), model: undefined, providers: undefined, search: undefined })
  },
}

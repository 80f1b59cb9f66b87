// What this browser remembers for one person: theme, last project, choices
// for each project, providers and their keys. Keys live here alone: never in
// a project, a trace or an export (SECURITY 15). Browsers keep this storage in
// the clear; the settings view says so.

const place = 'golem.settings'
const keyPlace = 'golem.keys'

function read(name) {
  try {
    const v = JSON.parse(localStorage.getItem(name) ?? '{}')
    return v && typeof v === 'object' ? v : {}
  } catch {
    return {} // private mode without storage, or somebody else's text
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

export const settings = {
  get theme() {
    return read(place).theme
  },
  set theme(v) {
    write(place, { ...read(place), theme: v })
  },
  get last() {
    return read(place).last ?? ''
  },
  set last(v) {
    write(place, { ...read(place), last: v })
  },
  /** The choices for one project: model, approval, entry, talk. */
  project(name) {
    return read(place).projects?.[name] ?? {}
  },
  setProject(name, choice) {
    const all = read(place)
    const projects = { ...all.projects, [name]: { ...all.projects?.[name], ...choice } }
    return write(place, { ...all, projects })
  },
  forgetProject(name) {
    const all = read(place)
    const projects = { ...all.projects }
    delete projects[name]
    write(place, { ...all, projects })
  },
  /** The person's own configuration, the text of a config.yaml. */
  get config() {
    return read(place).config ?? ''
  },
  setConfig(text) {
    return write(place, { ...read(place), config: text || undefined })
  },
  /** Keys and base URLs, as the variables golem reads. */
  environment() {
    return read(keyPlace)
  },
  setVariable(name, value) {
    const all = read(keyPlace)
    if (value) all[name] = value
    else delete all[name]
    return write(keyPlace, all)
  },
  forgetKeys() {
    localStorage.removeItem(keyPlace)
  },
}

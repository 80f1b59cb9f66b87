// Opens a project.
import { batch, signal } from '@preact/signals'
import { about, batching, chosen, editing, files, golem, inspect, lists, looking, project, projects, refresh, refused, staged, tracing, unread, view } from './state.js'
import { branches, depart } from './runs.js'
import { removeSession, renameSession, sessionOf, turnTo } from './sessions.js'
import { settings } from './settings.js'

let turn = 0

/** Opens a project and shows it, with what went on in it since. What runs in the project before goes on. Resolves to false if the person has opened another one meanwhile. */
export async function open(name, where = 'run') {
  if (name === project.value && about.value) {
    view.value = where
    return true
  }
  const mine = ++turn
  const end = depart()
  if (end) await end
  const next = sessionOf(name)
  if (next?.ending) await next.followed
  if (mine !== turn) return false
  batch(() => {
    project.value = name
    about.value = null
    unread.value = ''
    files.value = []
    staged.value = []
    branches.value = []
    turnTo(name)
    refused.value = null
    chosen.value = ''
    editing.value = ''
    looking.value = ''
    tracing.value = ''
    batching.value = ''
    view.value = where
  })
  settings.last = name
  settings.setProject(name, { used: Date.now() })
  try {
    await Promise.all([lists(), inspect()])
  } catch (e) {
    await refresh()
    if (name === project.value && !projects.value.some((p) => p.name === name)) { // deleted in another tab
      removeSession(name)
      batch(() => {
        project.value = ''
        view.value = 'projects'
      })
    }
    throw e
  }
  return true
}

/** Takes over what was shown for a project that was renamed. */
export async function renamed(name, to) {
  renameSession(name, to)
  gone.value = { name, to }
  if (project.value === name) project.value = to
  await Promise.all([refresh(), ...(project.value === to ? [lists(), inspect()] : [])])
}

/** Removes what was shown for a project that is deleted, and its unsaved texts. */
export function forget(name) {
  removeSession(name)
  gone.value = { name }
}

/** The project that was deleted or renamed last: {name, to}. */
export const gone = signal(null)

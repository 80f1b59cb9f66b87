// Opens a project.
import { batch, signal } from '@preact/signals'
import { about, chosen, editing, files, golem, inspect, lists, looking, project, projects, refresh, refused, run, running, staged, tracing, unread, view } from './state.js'
import { leave } from './runs.js'
import { emptyRun } from './run.js'
import { settings } from './settings.js'
import { askYes } from './ask.jsx'

const seen = new Map() // what was shown for projects that were open before, by name

/** Opens a project and shows it. If a run of another project would be stopped, it asks first. Resolves to false if the person said no. */
export async function open(name, where = 'run') {
  if (name === project.value && about.value) {
    view.value = where
    return true
  }
  if (running.value && name !== project.value && !(await askYes(`Stop what runs in ${project.value}?`, `One project runs at a time: to open ${name}, golem stops the run. What it did stays, and its conversation is kept.`, 'Stop it', true))) return false
  await leave()
  if (project.value) seen.set(project.value, run.value)
  batch(() => {
    project.value = name
    about.value = null
    unread.value = ''
    files.value = []
    staged.value = []
    run.value = seen.get(name) ?? emptyRun()
    refused.value = null
    chosen.value = ''
    editing.value = ''
    looking.value = ''
    tracing.value = ''
    view.value = where
  })
  settings.last = name
  settings.setProject(name, { used: Date.now() })
  try {
    await Promise.all([lists(), inspect()])
  } catch (e) {
    await refresh()
    if (name === project.value && !projects.value.some((p) => p.name === name)) { // deleted in another tab
      batch(() => {
        project.value = ''
        view.value = 'projects'
      })
    }
    throw e
  }
  return true
}

/** Removes what was shown for a project that is deleted, and its unsaved texts. */
export function forget(name) {
  seen.delete(name)
  gone.value = { name }
}

/** The project that was deleted last: {name}. */
export const gone = signal(null)

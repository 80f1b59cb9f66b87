// Makes a file of the project, with a text to begin with if it is a worker or the source of a
// tool.
import * as store from './store.js'
import js from '../../core/jstool/newtool/tool.js.tmpl'
import ts from '../../core/jstool/newtool/tool.ts.tmpl'

/** Returns the text of a new file and the line that the person changes first. The source of a tool is what golem tool new writes. */
function beginning(path) {
  if (path.endsWith('.worker')) return ['---\ndescription: Says what it is for\n---\nAnswer in one sentence.\n', 4]
  const [, name, kind] = /^tools\/([a-z][a-z0-9_-]{0,47})\.(js|ts)$/.exec(path) ?? []
  return name ? [(kind === 'js' ? js : ts).replaceAll('@TOOL@', name.replaceAll('-', '_')), 1] : ['', 1]
}

/** Makes a file and opens it in the editor. */
export const makeFile = (path) => store.attempt(`making ${path}`, async () => {
  await store.listFiles() // a worker or another tab may have made it
  if (store.files.value.some((f) => f.path === path)) throw new Error('a file with this name exists already')
  const [text, line] = beginning(path)
  await store.golem.files(store.project.value).write(path, text)
  store.edit(path, line)
  await Promise.all([store.listFiles(), store.inspect()])
  return true
})

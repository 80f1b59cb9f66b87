// The note that is shown if the browser keeps no files for the page.
import { Icon } from './icons.jsx'
import * as store from './store.js'

export function Unkept() {
  if (!store.ready.value || store.golem.kept) return null
  const name = store.project.value
  const save = () => store.attempt(`exporting ${name}`, async () => store.download(`${name}.zip`, await store.golem.exportZip(name, { repository: true })))
  return (
    <div class="note warn unkept" role="note">
      <span class="grow">This browser keeps no files for this page, perhaps because the window is private. Projects, conversations and traces are lost when the tab closes or is reloaded.</span>
      {name && <button class="button" onClick={save}><Icon name="down" />Save {name} as a zip</button>}
    </div>
  )
}

// The functions of Node's package url that scripts use to find their own directory.
const file = () => JSON.parse(golem.config('script')).file

// fileURLToPath returns the path of an URL; without one, as of import.meta.url here, that of the
// script.
export function fileURLToPath(url) {
  const text = url === undefined || url === null ? '' : String(url)
  return text.startsWith('file://') ? decodeURIComponent(text.slice(7)) : file()
}

import {toFileUrl as pathToFileURL} from './path.js'

export {pathToFileURL}

export default {fileURLToPath, pathToFileURL}

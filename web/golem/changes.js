// The methods of Golem that belong to the files of one project: the files themselves, what
// runs wrote into them, and what workers staged.

/** @import { Bytes } from './golem.js' */

/** Returns the methods for a project's files. Paths are relative, with slashes. */
export function filesOf(link, name) {
  return {
    /** @returns {Promise<{path: string, dir?: boolean, size: number, modified: number}[]>} */
    list: ({ signal } = {}) => link.ask('files', { project: name }, { signal }),
    /** Reads a file from the byte from on; with size, that many bytes of it. @param {{from?: number, size?: number, signal?: AbortSignal}} [part] @returns {Promise<Uint8Array>} */
    read: (path, { signal, ...part } = {}) => link.ask('read', { ...part, project: name, path }, { signal }),
    /**
     * Writes a whole file, which may be new. With base, only if the file exists and has that text now; another text is E_CONFLICT.
     * @param {string|Bytes} data
     * @param {{base?: string, signal?: AbortSignal}} [how]
     */
    write: (path, data, { signal, ...how } = {}) => link.ask('write', { ...how, project: name, path }, { signal }, typeof data === 'string' ? new TextEncoder().encode(data) : data),
    remove: (path, { signal } = {}) => link.ask('delete', { project: name, path }, { signal }),
    move: (path, to, { signal } = {}) => link.ask('move', { project: name, path, to }, { signal }),
  }
}

/**
 * Returns the methods to undo what runs wrote directly into a project's files, as golem undo. diff says what an undo
 * would do or, for a run that was undone, what a redo would do. undo and redo take the digest that was shown; in
 * definitions the names of files that define the project, if they are to be written too; and partial to leave out
 * files whose old content was not kept. With item they are about one part of the run, by item.id of the list: each
 * exchange of a conversation that wrote is one. Without it they are about the part that is next.
 * @param {string} name
 */
export function undoOf(link, name) {
  const ask = (action, run = '', { signal, ...how } = {}) => link.ask('undo', { ...how, project: name, action, run }, { signal })
  return {
    /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
    list: (how) => ask('list', '', how),
    /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
    diff: (run, how) => ask('diff', run, how),
    /** @param {{item?: string, digest?: string, definitions?: string[], partial?: boolean}} [how] */
    undo: (run, how) => ask('undo', run, how),
    redo: (run, how) => ask('redo', run, how),
  }
}

/**
 * Returns the methods for what workers staged in a project, as golem clearance. diff says what a push would do. push
 * takes the digest that was shown and, in definitions, the names of files that define the project, if they are to be
 * pushed too.
 * @param {string} name
 */
export function clearanceOf(link, name) {
  const ask = (action, item, { signal, ...how } = {}) => link.ask('clearance', { ...how, project: name, action, item }, { signal })
  return {
    /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
    list: (how) => ask('list', undefined, how),
    /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
    diff: (item, how) => ask('diff', item, how),
    /** @param {{digest?: string, target?: string, definitions?: string[]}} [how] */
    push: (item, how) => ask('push', item, how),
    discard: (item, how) => ask('discard', item, how),
    defer: (item, how) => ask('defer', item, how),
  }
}

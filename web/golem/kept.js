// The methods of Golem about what runs keep in a project: their traces and conversations, what
// can be undone, and what is staged.
import { clearanceOf, undoOf } from './changes.js'

/** The part of Golem that needs no options of a run. */
export class Kept {
  #link

  constructor(link) {
    this.#link = link
  }

  /** Lists the traces of a project's runs, newest first. */
  async runs(name, { signal } = {}) {
    return (await this.#link.ask('runs', { project: name }, { signal })).map((r) => ({ name: r.path, size: r.size, modified: r.modified }))
  }

  /** Returns a trace with its long texts put in their places. @returns {Promise<Uint8Array>} */
  readRun(name, run, { signal } = {}) {
    return this.#link.ask('readRun', { project: name, name: run }, { signal })
  }

  /**
   * Returns the messages that each worker run sent to its model, by the id of its call, if the run had the option prompts.
   * @returns {Promise<Record<string, {role: string, text: string, tool?: string, calls?: {name: string, args: string}[]}[]>>}
   */
  prompts(name, run, { signal } = {}) {
    return this.#link.ask('prompts', { project: name, name: run }, { signal })
  }

  /**
   * Returns a trace file with the long texts of the files beside it put in their places. A
   * text that is missing, or does not fit its digest, is left out.
   * @param {Bytes} trace
   * @param {{name: string, data: Bytes}[]} texts the files of its folder
   * @returns {Promise<Uint8Array>}
   */
  wholeTrace(trace, texts, { signal } = {}) {
    return this.#link.ask('wholeTrace', { names: texts.map((t) => t.name) }, { signal }, [trace, ...texts.map((t) => t.data)])
  }

  /**
   * Returns a trace as requests of OTLP/HTTP in JSON, one a line, as golem trace export --format otlp: send each line to a
   * collector of OpenTelemetry. With contents they have what was said, too.
   * @param {Bytes} trace
   * @param {{contents?: boolean, signal?: AbortSignal}} [options]
   */
  async otlp(trace, { contents = false, signal } = {}) {
    return new TextDecoder().decode(await this.#link.ask('otlp', { contents }, { signal }, trace))
  }

  /**
   * Lists the conversations that runs kept, as golem conversations --json does, the last written one first; with search, only
   * those that have all its words in the title, a message or an answer. To go on with
   * one, call chat or run with the option resume, and with changed: true if files of its workers have changed.
   * @returns {Promise<{id: string, time: string, title: string, worker: string, mode: string, messages: number, turns: number, status: string, usage: object, from?: {id: string, at: number}, error?: object}[]>}
   */
  conversations(name, { signal, search } = {}) {
    return this.#link.ask('conversations', { project: name, search }, { signal })
  }

  /**
   * Returns a conversation for display: who is you, golem, thought (what the model reasoned), tool or note; n numbers the messages of the person. branches has its
   * messages that exist in several forms, as the branches of a conversation begin there: ids has for each form a conversation that
   * has it, index is the place of this one there.
   * @returns {Promise<{listing: object, said: {who: string, n?: number, text?: string, tool?: string, id?: string, args?: string, error?: object}[], branches: {n: number, ids: string[], index: number}[]}>}
   */
  conversation(name, id, { signal } = {}) {
    return this.#link.ask('conversation', { project: name, name: id }, { signal })
  }

  /** Gives a conversation that is not open a title, as golem conversations rename, and returns the title. In an open one, send '/title WORDS'. */
  renameConversation(name, id, title, { signal } = {}) {
    return this.#link.ask('renameConversation', { project: name, name: id, title }, { signal })
  }

  /** Returns a conversation as Markdown. */
  async exportConversation(name, id, { signal } = {}) {
    return new TextDecoder().decode(await this.#link.ask('exportConversation', { project: name, name: id }, { signal }))
  }

  /** Removes a conversation, as golem conversations remove; one that is in use is E_BUSY. */
  removeConversation(name, id, { signal } = {}) {
    return this.#link.ask('removeConversation', { project: name, name: id }, { signal })
  }

  /** Returns the methods to undo what runs wrote directly into a project's files, as golem undo. @param {string} name */
  undo(name) {
    return undoOf(this.#link, name)
  }

  /** Returns the methods for what workers staged in a project, as golem clearance. @param {string} name */
  clearance(name) {
    return clearanceOf(this.#link, name)
  }
}

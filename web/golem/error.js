/** An error of golem: message, stable code (docs/errors.md), hint and place. */
export class GolemError extends Error {
  constructor(fault) {
    super(fault.message)
    this.name = 'GolemError'
    /** @type {string} */ this.code = fault.code
    /** @type {string|undefined} */ this.hint = fault.hint
    /** @type {{message?: string, hint?: string}|undefined} what a page shows in place of the message and the hint */ this.page = fault.page
    /** @type {{file?: string, line?: number, column?: number, chain?: string[]}|undefined} */ this.where = fault.where
    /** @type {object[]} further faults, if there were several */ this.others = fault.others ?? []
  }
}

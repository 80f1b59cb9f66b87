/** Returns an error of golem itself, with a code, in place of one that a function of the page threw. */
export const coded = (code, message, hint = '') => Object.assign(new Error(message), { golem: true, code, hint })

/** An error of golem's own below a page's functions, as the worker takes it. */
export const coded = (code, message, hint = '') => Object.assign(new Error(message), { golem: true, code, hint })

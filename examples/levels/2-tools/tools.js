/**
 * Multiplies a by b.
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
export const multiply = (a, b) => a * b

// SourceError is a mistake in a source, with its place.
export class SourceError extends Error {
  constructor(file, line, column, message, hint = '') {
    super(message)
    Object.assign(this, {file, line, column, hint})
  }
}

export const wrong = (file, node, message, hint) => new SourceError(file, node.loc.start.line, node.loc.start.column + 1, message, hint)

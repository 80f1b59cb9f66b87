/** Adds a note. */
export function add_note(note: {title: string, text: string}): {file: string, n: number} {
  golem.files.write(`notes/${note.title}.md`, note.text)
  return {file: note.title + '.md', n: golem.files.list('notes').length}
}
declare const golem: any

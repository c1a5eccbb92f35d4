/** The text, or its beginning and `...` if it has more bytes in UTF-8 than `most`. No character is cut in two. */
export function cutText(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  let bytes = 0
  let kept = 0
  for (const character of text) {
    bytes += bytesOf(character)
    if (bytes > most) return `${text.slice(0, kept)}...`
    if (bytes <= most - 3) kept += character.length
  }
  return text
}

/** A surrogate without its pair is written as U+FFFD, which has three bytes. */
function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

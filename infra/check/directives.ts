// `#disable-next-line RULE // reason`: one rule, for one line, as Bicep reads it. The reason is a rule of this project.
import type { Finding } from './evaluate/session.ts'

const DIRECTIVE = /^\s*#disable-(next-line|diagnostics)\b(.*)$/

type Directive = { readonly file: string; readonly line: number; readonly rule: string | undefined }

/** Drops the findings that a directive silences. Adds a finding for each directive without a reason, and for each directive that silences nothing. */
export function heed(
  findings: readonly Finding[],
  files: readonly string[],
  readText: (path: string) => string | undefined,
): readonly Finding[] {
  const directives = files.flatMap((file) => directivesIn(file, readText(file) ?? ''))
  const silences = ({ file, line, rule }: Directive, each: Finding): boolean =>
    each.file === file && each.line === line + 1 && each.rule === rule
  const left = findings.filter((each) => !directives.some((directive) => silences(directive, each)))
  const wrong = directives.flatMap(({ file, line, rule }): readonly Finding[] => {
    const directive = { file, line, rule: 'directive' }
    if (rule === undefined) return [{ ...directive, message: 'a directive is `#disable-next-line RULE // reason`, with one rule' }]
    return findings.some((each) => silences({ file, line, rule }, each))
      ? []
      : [{ ...directive, message: `${rule} says nothing of the next line` }]
  })
  return [...left, ...wrong]
}

function directivesIn(file: string, text: string): readonly Directive[] {
  return text.split('\n').flatMap((line, at) => {
    const [, kind, rest = ''] = DIRECTIVE.exec(line) ?? []
    if (kind === undefined) return []
    const rule = kind === 'next-line' ? /^ +([\w-]+) +\/\/ \S/.exec(rest)?.[1] : undefined
    return [{ file, line: at + 1, rule }]
  })
}

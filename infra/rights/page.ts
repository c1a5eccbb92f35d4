// Reads the Azure half of docs/rights.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../../scripts/floors.ts'

const [, AZURE = ''] = readFileSync(join(repositoryRoot, 'docs/rights.md'), 'utf8').split('\n# Rights in Azure\n')

export type ActionRow = { readonly action: string; readonly why: string }

/** The sections by their heading of the second level. */
export const SECTIONS: ReadonlyMap<string, string> = new Map(
  AZURE.split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
)

/** Returns the rows of a section's table of actions, each with its last column. */
export function actionRows(heading: string): readonly ActionRow[] {
  return [...(SECTIONS.get(heading) ?? '').matchAll(/^\| `(Microsoft\.[^`]+)` *\|(?:.*\|)? (.*?) *\|$/gm)].map(
    ([, action = '', why = '']) => ({ action, why }),
  )
}

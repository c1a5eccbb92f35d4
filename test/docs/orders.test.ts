/** The pages on migration and upgrade, and the notes of a release, have one order. Each of their commands is run by a suite, or the table says why not. */
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { upgradeNotes } from '../../scripts/release/upgradeNotes.ts'
import { ORDER_COMMANDS } from './orders.ts'
import { commandsOf, read } from './pages.ts'

const PAGES = ['docs/migrate.md', 'docs/upgrade.md']
const commands = PAGES.flatMap((page) => commandsOf(read(page)))
/** Without the changes, which are the changelog. */
const [notes = ''] = upgradeNotes(repositoryRoot, { version: '1.2.3', image: 'shim@sha256:0' }).split('## What changed')

describe('the commands of the pages on migration and upgrade', () => {
  it('are all in the table, and no others', () => {
    expect([...new Set(commands)].sort()).toEqual(Object.keys(ORDER_COMMANDS).sort())
  })

  const proofs = Object.entries(ORDER_COMMANDS).flatMap(([command, proof]) => ('suite' in proof ? [{ command, ...proof }] : []))
  it.each(proofs)('$command is run by $suite', ({ suite, evidence }) => expect(read(suite)).toContain(evidence))

  it('name the namespace of the release, which is the one that azd up uses', () => {
    const helm = [...commands, ...commandsOf(notes)].filter((command) => /^helm \w+ (--install )?joiner/.test(command))
    expect(helm.length).toBeGreaterThan(5)
    expect(helm.filter((command) => !command.includes('--namespace joiner'))).toEqual([])
  })
})

/** The parts of an upgrade in the order in which a text names their commands. */
function orderOf(text: string): readonly string[] {
  return commandsOf(text).flatMap((command) => {
    if (command.startsWith('helm upgrade') && command.includes('joiner-crd')) return ['definitions']
    if (command.startsWith('helm upgrade')) return ['chart']
    return command.startsWith('az functionapp deployment') ? ['app'] : []
  })
}

describe('the order of an upgrade', () => {
  const page = read('docs/upgrade.md')
  const ORDER = ['definitions', 'app', 'chart']

  it('is the same with Helm, in the notes of a release, and in words', () => {
    const [, withHelm = ''] = /### With Helm\n([\s\S]*?)\n## /.exec(page) ?? []
    expect(orderOf(withHelm)).toEqual(ORDER)
    expect(orderOf(notes)).toEqual(ORDER)
    const steps = [...page.matchAll(/^\d\. \*\*(?:The )?(\w+)/gm)].map(([, word = '']) => word)
    expect(steps.slice(0, 3)).toEqual(ORDER)
  })

  it('begins with the definitions with azd, whose hook upgrades the chart after the app', () => {
    const [, withAzd = ''] = /### With azd\n([\s\S]*?)\n### /.exec(page) ?? []
    expect(commandsOf(withAzd).slice(0, 2)).toEqual(['helm upgrade joiner-crd charts/joiner-crd --namespace joiner', 'azd up'])
  })

  it('is left in the opposite direction without the definitions, everywhere', () => {
    expect(page).not.toContain('rollback joiner-crd')
    expect(notes).toContain('in the opposite order, without the definitions')
  })
})

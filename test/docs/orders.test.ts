/** The pages on migration and upgrade, and the notes of a release, have one order. The rehearsal runs their commands, or a row says why not. */
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { migration, migrationIn, notesOf, upgrade } from '../../scripts/rehearse/orders/orderCommands.ts'
import { obstacleTo, ROWS, rowOf, WORDS, withWords } from '../../scripts/rehearse/orders/rows.ts'
import { upgradeNotes } from '../../scripts/release/upgradeNotes.ts'
import { commandsIn, commandsOf, read } from './pages.ts'

const { before, after } = migration()
const notes = notesOf('1.2.3')
const all = [...before, ...after, ...notes, ...upgrade()]
const commands = all.map(({ command }) => command)

describe('the commands of the pages on migration and upgrade', () => {
  it('can all be rehearsed, or have a row', () => {
    expect(all.length).toBeGreaterThan(20)
    expect(commands.filter((command) => obstacleTo(command) !== undefined)).toEqual([])
  })

  it('have no row and no word that no page has', () => {
    expect(ROWS.filter((row) => !commands.some((command) => rowOf(command) === row))).toEqual([])
    const run = commands.filter((command) => {
      const row = rowOf(command)
      return row === undefined || 'mayFind' in row
    })
    expect(Object.keys(WORDS).filter((word) => !run.some((command) => command.split(' ').includes(word)))).toEqual([])
  })

  it.each([
    ['az aks stop --name NAME', 'az'],
    ['gh release download', 'gh'],
    ['kubectl cordon OTHER_NODE', 'OTHER_NODE'],
  ])('do not get through without a row: %s', (command, named) => expect(obstacleTo(command)).toContain(named))

  it('get their words replaced, and nothing else', () =>
    expect(withWords('kubectl drain NODE -o custom-columns=NAME:.metadata.name', { clusterResourceId: '/x' })).toBe(
      'kubectl drain aks-team-0 -o custom-columns=NAME:.metadata.name',
    ))

  it('are divided by the installation of their section', () => {
    const text = '```\nnpm a\n```\n## One\n```\nnpm b\n```\n1. [Install](install.md)\n```\nnpm c\n```\n## Two\n```\nnpm d\n```\n'
    const divided = migrationIn(text)
    expect(divided.before.map(({ command }) => command)).toEqual(['npm a', 'npm b', 'npm d'])
    expect(divided.after.map(({ command }) => command)).toEqual(['npm c'])
    expect(after.map(({ command }) => command.split(' ').slice(0, 2).join(' '))).toEqual([
      'helm uninstall',
      'kubectl delete',
      'kubectl drain',
    ])
  })

  it('stand in blocks: inline code only mentions them', () => {
    const inline = ['docs/migrate.md', 'docs/upgrade.md'].flatMap((page) => commandsIn(page, read(page)).filter(({ inBlock }) => !inBlock))
    expect(inline.length).toBeGreaterThan(3)
    expect(inline.filter(({ command }) => command.split(' ').length > 3)).toEqual([])
  })

  it('name the namespace of the release, which is the one that azd up uses', () => {
    const helm = commands.filter((command) => /^helm \w+ (--install )?joiner/.test(command))
    expect(helm.length).toBeGreaterThan(5)
    expect(helm.filter((command) => !command.includes('--namespace joiner'))).toEqual([])
  })
})

/** The parts of an upgrade in the order in which a text names their commands. */
function orderOf(commands: readonly string[]): readonly string[] {
  return commands.flatMap((command) => {
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
    expect(orderOf(commandsOf(withHelm))).toEqual(ORDER)
    expect(orderOf(notes.map(({ command }) => command))).toEqual(ORDER)
    const steps = [...page.matchAll(/^\d\. \*\*(?:The )?(\w+)/gm)].map(([, word = '']) => word)
    expect(steps.slice(0, 3)).toEqual(ORDER)
  })

  it('begins with the definitions with azd, whose hook upgrades the chart after the app', () => {
    const [, withAzd = ''] = /### With azd\n([\s\S]*?)\n### /.exec(page) ?? []
    expect(commandsOf(withAzd).slice(0, 2)).toEqual(['helm upgrade joiner-crd charts/joiner-crd --namespace joiner', 'azd up'])
  })

  it('is left in the opposite direction without the definitions, everywhere', () => {
    expect(page).not.toContain('rollback joiner-crd')
    const text = upgradeNotes(repositoryRoot, { version: '1.2.3', image: 'shim@sha256:0' })
    expect(text).toContain('in the opposite order, without the definitions')
  })
})

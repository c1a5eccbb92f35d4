// The commands of the blocks of the pages on migration and upgrade, in their order, taken from the pages themselves.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandsIn as allCommandsIn, type PageCommand } from '../../../test/docs/pages.ts'
import { repositoryRoot } from '../../floors.ts'
import { upgradeNotes } from '../../release/upgradeNotes.ts'

const MIGRATE = 'docs/migrate.md'
const UPGRADE = 'docs/upgrade.md'
/** The step of a procedure at which Joiner is installed. */
const INSTALL = /\[[Ii]nstall\]\(install\.md\)/

const commandsIn = (page: string, text: string): readonly PageCommand[] => allCommandsIn(page, text).filter(({ inBlock }) => inBlock)

const read = (page: string): string => readFileSync(join(repositoryRoot, page), 'utf8')

export type Migration = { readonly before: readonly PageCommand[]; readonly after: readonly PageCommand[] }

/** The commands before and after the installation. Each section has its own step for the installation, or belongs before it. */
export function migrationIn(text: string): Migration {
  const lines = text.split('\n')
  const isAfter = ({ line }: PageCommand): boolean => {
    const above = lines.slice(0, line - 1)
    const section = above.slice(above.findLastIndex((each) => each.startsWith('## ')) + 1)
    return section.some((each) => INSTALL.test(each))
  }
  const commands = commandsIn(MIGRATE, text)
  return { before: commands.filter((each) => !isAfter(each)), after: commands.filter(isAfter) }
}

export const migration = (): Migration => migrationIn(read(MIGRATE))

export const upgrade = (): readonly PageCommand[] => commandsIn(UPGRADE, read(UPGRADE))

/** The commands of the notes of a release, without its changes, which are the changelog. */
export function notesOf(version: string): readonly PageCommand[] {
  const [text = ''] = upgradeNotes(repositoryRoot, { version, image: 'shim@sha256:0' }).split('## What changed')
  return commandsIn('UPGRADE.md', text)
}

/** The manifests of the page on migration, as its reader applies them. */
export function manifestsOfMigration(): string {
  const [, body = ''] = /```yaml\n([\s\S]*?)\n```/.exec(read(MIGRATE)) ?? []
  return body
}

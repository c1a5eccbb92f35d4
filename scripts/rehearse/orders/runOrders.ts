// Runs the commands of the pages on migration and upgrade against the running world, each as its page has it.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Internet } from '../../../local/internet/startInternet.ts'
import { hasKubectl } from '../../../local/kubernetes/testing/kubectl.ts'
import type { ProblemCode } from '../../../shared/model/problem.ts'
import type { PageCommand } from '../../../test/docs/pages.ts'
import { repositoryRoot, walk } from '../../floors.ts'
import { zipOf } from '../../release/zip.ts'
import type { Driver } from '../azd/driver.ts'
import type { ReleaseParts } from '../releaseParts.ts'
import { type Deployer, requireWell, runInShell } from '../runHook.ts'
import type { Platform } from '../world/startInstallation.ts'
import type { World } from '../world/startWorld.ts'
import { drainedPodRuns, formerProvisioner, requireMigrated } from './formerProvisioner.ts'
import { manifestsOfMigration, migration, notesOf, upgrade } from './orderCommands.ts'
import { obstacleTo, type Part, PREFLIGHT, rowOf, withWords } from './rows.ts'

type Place = {
  readonly step: <Value>(name: string, run: () => Promise<readonly [shown: string, value: Value]>) => Promise<Value>
  readonly skip: (name: string, why: string) => void
  readonly world: World
  readonly internet: Internet
  readonly driver: Pick<Driver, 'name' | 'up' | 'values'>
  /** Known once Joiner is installed. */
  readonly platform: () => Promise<Pick<Platform, 'deploy'>>
  readonly release: ReleaseParts
}

export type Orders = {
  beforeInstall(): Promise<void>
  afterInstall(): Promise<void>
  upgrade(): Promise<void>
}

const MOST_SHOWN = 120

/** Returns undefined, and says so, if there is no kubectl. */
export function createOrders(place: Place): Orders | undefined {
  const { step, skip, world, release } = place
  if (!hasKubectl()) {
    skip('migration and upgrade', 'no kubectl is on the path; install it to rehearse the commands of docs/migrate.md and docs/upgrade.md')
    return undefined
  }
  const folder = workingCopy(world)
  const { before, after } = migration()
  return {
    async beforeInstall() {
      await step('former provisioner', async () => {
        for (const command of formerProvisioner(folder)) await inShell(place, command, folder)
        return ['a Karpenter that Helm installed, and a pod on a node pool of AKS', undefined]
      })
      await step('the former provisioner is found', async () => {
        const { code, lines } = await runInShell(deployerAt(place), withWords(PREFLIGHT, world.azure), folder)
        const found = lines.filter((line) => line.startsWith('FAIL'))
        if (code !== 1 || found.length !== 1 || !found[0]?.includes('PREFLIGHT.OTHER_PROVISIONER'))
          throw new Error(`the preflight ended with ${code} and not with a running Karpenter alone: ${lines.join('; ')}`)
        return [found[0], undefined]
      })
      await runAll(place, before, folder)
    },
    async afterInstall() {
      await step('NodePool of the page', async () => {
        writeFileSync(join(folder, 'team-a.yaml'), manifestsOfMigration())
        return [await inShell(place, 'kubectl apply -f team-a.yaml', folder), undefined]
      })
      await runAll(place, after, folder)
      await step('migrated', async () => [`${await requireMigrated(world)}; ${await drainedPodRuns(world)}`, undefined])
    },
    async upgrade() {
      const machines = world.azure.state().vms.map(({ name }) => name)
      await runAll(place, notesOf(release.version), release.folder)
      await runAll(place, upgrade(), folder)
      await step('upgraded', async () => {
        const now = world.azure.state().vms.map(({ name }) => name)
        if (now.join() !== machines.join()) throw new Error(`the upgrade changed machines: ${machines.join(', ')} became ${now.join(', ')}`)
        return [`the same ${now.length} machines as before`, undefined]
      })
    },
  }
}

/** A folder that looks like a copy of the repository. Files that commands write stay in it. */
function workingCopy({ directory }: World): string {
  const folder = join(directory, 'copy')
  mkdirSync(folder)
  for (const name of readdirSync(repositoryRoot)) symlinkSync(join(repositoryRoot, name), join(folder, name))
  return folder
}

async function runAll(place: Place, commands: readonly PageCommand[], folder: string): Promise<void> {
  for (const { page, line, command } of commands) {
    const name = `${page}:${line} ${command}`
    const row = rowOf(command)
    if (row !== undefined && 'why' in row) place.skip(name, row.why)
    else
      await place.step(name, async () => {
        const obstacle = obstacleTo(command)
        if (obstacle !== undefined) throw new Error(obstacle)
        const shown =
          row !== undefined && 'plays' in row
            ? await PARTS[row.plays](place, join(folder, sourceOf(command)))
            : await inShell(place, command, folder, row?.mayFind)
        return [shown, undefined]
      })
  }
}

function deployerAt({ world, internet, driver }: Place): Deployer {
  return { world, internet, values: driver.values() }
}

/** Returns the last line of the output, which says what happened. The command may fail where all that it finds is of the code `mayFind`. */
async function inShell(place: Place, command: string, folder: string, mayFind?: ProblemCode): Promise<string> {
  const outcome = await runInShell(deployerAt(place), withWords(command, place.world.azure), folder)
  const found = outcome.lines.filter((line) => line.startsWith('FAIL'))
  const isExpected = mayFind !== undefined && found.length > 0 && found.every((line) => line.includes(mayFind))
  const { lines } = isExpected ? outcome : requireWell(outcome)
  return (lines.findLast((line) => !/^\s*$|^TEST SUITE/.test(line)) ?? '').trim().slice(0, MOST_SHOWN)
}

const sourceOf = (command: string): string => / --src (\S+)/.exec(command)?.[1] ?? ''

const PARTS: { readonly [part in Part]: (place: Place, file: string) => Promise<string> } = {
  async 'azd up'({ world: { azure }, driver }) {
    const before = new Set(azure.resources().map(({ id }) => id.toLowerCase()))
    const { lines } = requireWell(await driver.up())
    const made = azure.resources().flatMap(({ id }) => (before.has(id.toLowerCase()) ? [] : [id]))
    if (made.length > 0) throw new Error(`it made ${made.length} resources, which the installation had not: ${made.join(', ')}`)
    return `${driver.name}: no resource is new; ${lines.findLast((line) => line.startsWith('ok')) ?? ''}`
  },
  async 'the app'({ world, platform }, file) {
    const zipFile = file.endsWith('PACKAGE') ? packageIn(world) : file
    const { functions } = await (await platform()).deploy({ zipFile })
    return `played: the zip started with ${functions.length} functions`
  },
}

/** Makes a zip of the folder that `npm run build` makes, as the page says. */
function packageIn({ directory }: World): string {
  const built = join(repositoryRoot, 'dist', 'functions')
  const files = walk(built, () => true).map((path) => ({ path, bytes: readFileSync(join(built, path)) }))
  const zipFile = join(directory, 'package.zip')
  writeFileSync(zipFile, zipOf(files))
  return zipFile
}

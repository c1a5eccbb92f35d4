// azd itself, in a copy of the project, with the hooks as azd runs them. What Azure runs for the installation starts as its resources are made.
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findOnPath } from '../../../local/findOnPath.ts'
import { repositoryRoot } from '../../floors.ts'
import { machineOf, requireWell } from '../runHook.ts'
import { resourcesOf } from '../world/installation.ts'
import type { World } from '../world/startWorld.ts'
import { type Driver, type DriverOptions, type Values, wishesOf } from './driver.ts'
import { type Azd, startAzd } from './startAzd.ts'

export async function startRealDriver(program: string, options: DriverOptions): Promise<Driver> {
  const { world, place, platform } = options
  const { azure, caFile, directory, environment } = world
  letPlatformStart(options)
  azure.publishTo(async (_, zip) => {
    const zipFile = join(directory, 'published.zip')
    writeFileSync(zipFile, zip)
    await (await platform()).deploy({ zipFile })
  })
  const { PATH = '', ...machine } = await machineOf(world)
  const azd = await startAzd({
    program,
    azure,
    internet: place.internet,
    caFile,
    directory: join(directory, 'deployer'),
    project: copyOfProject(directory),
    environment: {
      ...machine,
      PATH: [npmIn(directory), dirname(program), PATH, process.env['PATH'] ?? ''].join(':'),
      // azd leaves its zips there.
      TMPDIR: temporaryIn(directory),
      NODE_OPTIONS: place.internet.argsOf().join(' '),
    },
  })
  await run(azd, 'env', 'new', environment, '--subscription', azure.subscriptionId, '--location', azure.location)
  const set = async (values: Values): Promise<void> => {
    await run(azd, 'env', 'set', ...Object.entries(values).map(([name, value]) => `${name}=${value}`))
  }
  await set(wishesOf(options))
  return {
    name: 'azd',
    set,
    values: () => azd.values(environment),
    up: () => azd.run(['up', '--no-prompt']),
    upInTerminal: azd.runInTerminal?.bind(undefined, ['up']),
    down: () => azd.run(['down', '--force', '--purge', '--no-prompt']),
    close: () => azd.close(),
  }
}

async function run(azd: Azd, ...args: readonly string[]): Promise<void> {
  requireWell(await azd.run([...args, '--no-prompt']))
}

/** Storage and the rest of the platform are there as soon as the layer that makes the app is deployed: `azd deploy` follows at once. */
function letPlatformStart({ world, templates: { engine }, platform, demo }: DriverOptions): void {
  world.azure.deployWith({
    ...engine,
    async deploy(order) {
      const deployed = await engine.deploy(order)
      demo?.()
      if (resourcesOf(world).some(({ type }) => type === 'Microsoft.Web/sites')) await platform()
      return deployed
    },
  })
}

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.local', '.azure', 'dist', 'coverage', 'node_modules'])

/** A copy, as each person has one: azd writes into it, and other programs that build at the same time do not. */
function copyOfProject(directory: World['directory']): string {
  const project = join(directory, 'project')
  mkdirSync(project)
  for (const name of readdirSync(repositoryRoot))
    if (!LEFT_OUT.has(name)) cpSync(join(repositoryRoot, name), join(project, name), { recursive: true })
  symlinkSync(join(repositoryRoot, 'node_modules'), join(project, 'node_modules'))
  return project
}

/** azd runs `npm install` before each hook and each build. The packages are there, and belong to this repository. */
function npmIn(directory: string): string {
  const folder = join(directory, 'npm')
  mkdirSync(folder)
  const npm = findOnPath('npm', process.env['PATH'] ?? '') ?? 'npm'
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n[ "$1" = install ] && exit 0\nexec '${npm}' "$@"\n`, { mode: 0o755 })
  return folder
}

function temporaryIn(directory: string): string {
  const folder = join(directory, 'tmp')
  mkdirSync(folder)
  return folder
}

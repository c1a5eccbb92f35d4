/** F5 starts programs that exist, with options that they take. No test covers what the editor does with the configuration. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../functions/config.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

type Configuration = {
  readonly name: string
  readonly request: 'launch' | 'attach'
  readonly program?: string
  readonly port?: number
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly preLaunchTask?: string
}
type Task = { readonly label: string; readonly command?: string; readonly dependsOn?: readonly string[] }

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const launch: {
  readonly configurations: readonly Configuration[]
  readonly compounds: readonly { readonly name: string; readonly configurations: readonly string[] }[]
  readonly inputs: readonly { readonly id: string }[]
} = JSON.parse(read('.vscode/launch.json'))
const { tasks }: { readonly tasks: readonly Task[] } = JSON.parse(read('.vscode/tasks.json'))
const { scripts, devDependencies } = JSON.parse(read('package.json'))
const labels = tasks.map(({ label }) => label)
const fileOf = ({ program = '' }: Configuration): string => program.replace('${workspaceFolder}/', '')
const started = launch.configurations.filter(({ request }) => request === 'launch')

describe('.vscode/launch.json', () => {
  it.each(started)('starts $name from a file that there is, after a task that there is', (configuration) => {
    expect(existsSync(join(repositoryRoot, fileOf(configuration)))).toBe(true)
    if (configuration.preLaunchTask !== undefined) expect(labels).toContain(configuration.preLaunchTask)
  })

  it.each(started.filter((each) => fileOf(each).startsWith('local/')))('gives $name options that it has', (configuration) => {
    const source = [fileOf(configuration), 'local/host/hostOptions.ts'].map(read).join('\n')
    const options = (configuration.args ?? []).filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2))
    expect(options.length).toBeGreaterThan(0)
    for (const option of options) expect(source, option).toMatch(new RegExp(`'--${option}[ ']|^\\s*'?${option}'?: \\{`, 'm'))
  })

  it('gives the shim settings that it has', () => {
    const shim = started.find((each) => fileOf(each) === 'shim/main.ts')
    const known = ['shim/config.ts', 'shim/kube/connection.ts', 'shim/settings.ts'].map(read).join('')
    for (const name of Object.keys(shim?.env ?? {})) expect(known, name).toMatch(new RegExp(`'${name}'|\\b${name}\\b`))
  })

  it('attaches where the function app is let listen', () => {
    const port = launch.configurations.find(({ request }) => request === 'attach')?.port
    const stack = started.find((each) => fileOf(each) === 'local/start.ts')
    expect(stack?.args?.join(' ')).toContain(`--inspect ${port}`)
  })

  it('puts together what there is', () => {
    const names = launch.configurations.map(({ name }) => name)
    expect(launch.compounds.flatMap(({ configurations }) => configurations).filter((name) => !names.includes(name))).toEqual([])
    const asked = [...read('.vscode/launch.json').matchAll(/\$\{input:(\w+)\}/g)].map(([, id]) => id)
    expect(launch.inputs.map(({ id }) => id)).toEqual([...new Set(asked)])
  })
})

describe('.vscode/tasks.json', () => {
  it('runs scripts and programs that there are', () => {
    const commands = tasks.flatMap(({ command }) => command ?? [])
    const unknown = commands.filter((command) => {
      const [, script] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? []
      const [, program] = /^npx (\S+)/.exec(command) ?? []
      return !(script !== undefined ? script in scripts : program !== undefined ? program in devDependencies : command.includes('kubectl '))
    })
    expect(commands.length).toBeGreaterThan(5)
    expect(unknown).toEqual([])
  })

  it('waits for tasks that there are', () => {
    expect(tasks.flatMap(({ dependsOn = [] }) => dependsOn).filter((label) => !labels.includes(label))).toEqual([])
  })

  it('makes the token of the shim for the audience that the app asks for', () => {
    expect(tasks.find(({ label }) => label === 'token of the shim')?.command).toContain(
      `--audience ${SETTINGS.shape.SHIM_AUDIENCE.parse(undefined)} `,
    )
  })
})

describe('.vscode/extensions.json', () => {
  it('recommends what the devcontainer has', () => {
    const { recommendations } = JSON.parse(read('.vscode/extensions.json'))
    expect(recommendations).toEqual(JSON.parse(read('.devcontainer/devcontainer.json')).customizations.vscode.extensions)
  })
})

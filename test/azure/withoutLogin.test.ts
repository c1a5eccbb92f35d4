/** Every command and every hook that needs a login, without one: one line with a code and what to do, and exit code 1. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

const S = '00000000-0000-4000-8000-000000000001'
const ID = `/subscriptions/${S}/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop`
const CLUSTER = ['--cluster', ID]

/** Each command of `joiner`, with arguments that lead to Azure. Undefined: the command needs no login. */
const COMMANDS: { readonly [name: string]: readonly string[] | undefined } = {
  preflight: CLUSTER,
  explain: ['pods/a/b', ...CLUSTER],
  status: CLUSTER,
  convert: undefined,
  // Says first where its record is, and reads the environment of azd: its tests are below.
  smoke: undefined,
  cleanup: [...CLUSTER, '--group', 'g', '--yes'],
}
/** `postdown` asks nobody but azd. */
const HOOKS = ['preprovision', 'postdeploy', 'predown']
const ENVIRONMENT = {
  AZURE_ENV_NAME: 'dev',
  AZURE_SUBSCRIPTION_ID: S,
  AZURE_LOCATION: 'eastus',
  AZURE_RESOURCE_GROUP: 'rg-joiner-dev',
  JOINER_CLUSTER_IDS: ID,
  JOINER_CLUSTER_FACTS: JSON.stringify([{ name: 'shop', id: ID }]),
  JOINER_DOWN: 'drain',
  // azd, which runs the hooks, has this value from the last run: there is nothing to set.
  JOINER_APP_DEPLOYED: 'true',
  ...Object.fromEntries(
    ['TENANT_ID', 'APP_NAME', 'APP_PRINCIPAL_ID', 'AUDIENCE', 'WORKBOOK_ID', 'LOG_WORKSPACE_ID'].map((name) => [`JOINER_${name}`, 'x']),
  ),
  JOINER_APP_ENDPOINT: 'https://127.0.0.1:1',
  JOINER_SHIM_CLIENT_IDS: '["x"]',
  JOINER_TOPIC_ENDPOINTS: '["x"]',
}
const folder = mkdtempSync(join(tmpdir(), 'joiner-login-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Texts that azd 1.31 and az 2.80 write to standard error if nobody is logged in (sources of both, November 2026). */
const LOGGED_OUT = {
  azd: `if [ "$1" = env ]; then echo '${JSON.stringify({ AZURE_SUBSCRIPTION_ID: S, AZURE_LOCATION: 'eastus', JOINER_CLUSTER_IDS: ID })}'; exit 0; fi
if [ "$1" = auth ]; then echo 'ERROR: not logged in, run \`azd auth login\` to login' >&2; exit 1; fi; exit 0`,
  az: `echo "ERROR: Please run 'az login' to setup account." >&2; exit 1`,
}

function run(
  args: readonly string[],
  environment: object,
  path: string,
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { env: { PATH: path, ...environment }, cwd: repositoryRoot }, (error, out, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, lines: `${out}${errors}`.trimEnd().split('\n') })
    })
  })
}

const nobody = join(folder, 'nobody')

const PATHS: readonly (readonly [string, () => string, RegExp])[] = [
  [
    'neither azd nor az',
    () => nobody,
    /AZURE\.FORBIDDEN {3}.*nobody is logged in, and neither azd nor az is on the PATH; .*run: azd auth login$/,
  ],
  [
    'nobody who is logged in',
    () => {
      for (const [name, script] of Object.entries(LOGGED_OUT)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
        chmodSync(join(folder, name), 0o755)
      }
      return `${folder}:/usr/bin:/bin`
    },
    /AZURE\.FORBIDDEN {3}.*nobody is logged in; run: azd auth login$/,
  ],
]

describe.each(PATHS)('with %s', (_, path, line) => {
  it.each(Object.entries(COMMANDS).filter(([, args]) => args !== undefined))('joiner %s says so on one line', async (name, args = []) => {
    const { code, lines } = await run(['cli/main.ts', name, ...args], {}, path())
    expect([code, lines]).toEqual([1, [expect.stringMatching(line)]])
  })

  it('joiner status of an app that takes tokens of the tenant says so, too', async () => {
    const args = ['status', '--app', 'https://127.0.0.1:1', '--cluster', 'shop', '--audience', 'api://x']
    const { code, lines } = await run(['cli/main.ts', ...args], {}, path())
    expect([code, lines]).toEqual([1, [expect.stringMatching(line)]])
  })

  it.each(HOOKS)('the hook %s says so', async (name) => {
    const { code, lines } = await run([`infra/hooks/${name}.ts`], ENVIRONMENT, path())
    expect(code).toBe(1)
    expect(lines.filter((each) => each.startsWith('FAIL'))).toEqual([expect.stringMatching(line)])
    expect(lines.join('\n')).not.toMatch(/^\s+at /m)
  })
})

it('has a row for every command', async () => {
  const { lines } = await run(['cli/main.ts'], {}, nobody)
  expect(lines.flatMap((each) => /^ {2}(\w+) /.exec(each)?.[1] ?? [])).toEqual(Object.keys(COMMANDS))
})

it('joiner smoke of an environment of azd says that nobody is logged in, and makes no record', async () => {
  const path = PATHS[1]?.[1]() ?? ''
  const record = join(folder, 'record.json')
  const { code, lines } = await run(['cli/main.ts', 'smoke', '--env', 'dev', '--yes', '--out', record], {}, path)
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/AZURE\.FORBIDDEN {3}.*nobody is logged in; run: azd auth login$/)])
  expect([lines.length, existsSync(record)]).toEqual([2, false])
})

it.each([['preflight'], ['smoke', '--yes']])(
  'joiner %s says that azd is missing where an environment of azd is named',
  async (...command) => {
    const { code, lines } = await run(['cli/main.ts', ...command, '--env', 'dev'], {}, nobody)
    expect([code, lines]).toEqual([1, [expect.stringMatching(/^PREFLIGHT\.TOOL {3}azd is not on the PATH; install it/)]])
  },
)

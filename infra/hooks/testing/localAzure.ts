import { readFileSync } from 'node:fs'
import { type Access, openAccess } from '../../../cli/clusterAccess.ts'
import type { RunProgram } from '../../../cli/down/runProgram.ts'
import { chartImage, imageText } from '../../../cli/preflight/shimImage.ts'
import type { StartAzureOptions } from '../../../local/azure/options.ts'
import { createRegistryServer, type RegistryOptions } from '../../../local/azure/registry/registryServer.ts'
import type { LocalAzure } from '../../../local/azure/startAzure.ts'
import { REAL_CLOCK, startHarness } from '../../../test/azure/harness.ts'
import type { HookDeps } from '../hookDeps.ts'

export const KUBECONFIG = `apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: https://local.hcp.eastus.invalid:443
    certificate-authority-data: Y2E=
users:
- name: clusterUser_local_local
  user: {}
`

/** The registry of the world: ghcr.io has the image that the chart names. */
export function webOf(options: RegistryOptions): Access['web'] {
  const answer = createRegistryServer(options)
  return async (url, { method = 'GET', headers, body } = {}) => {
    const { host } = new URL(url)
    const sent = { ...Object.fromEntries(new Headers(headers)), host }
    const got = answer({ method, url: new URL(url), headers: sent, body: body instanceof URLSearchParams ? body.toString() : '' })
    if (got === 'drop') throw new Error(`${host} hangs up`)
    const text = method === 'HEAD' || got.body === undefined ? null : JSON.stringify(got.body)
    return new Response(text, { status: got.status, ...(got.headers === undefined ? {} : { headers: got.headers }) })
  }
}
const registryWeb = webOf({ images: new Set([imageText(chartImage())]) })

/** The environment of azd. The next hook reads what `azd env set` writes. */
function fakeAzd(values: Map<string, string>): RunProgram {
  return async (program, args) => {
    const file = args[args.indexOf('--file') + 1]
    if (program === 'helm' && args[0] === 'version') return { code: 0, out: 'v3.19.0', errors: '' }
    if (program !== 'azd' || args[0] !== 'env' || args[1] !== 'set' || file === undefined)
      return { code: 127, out: '', errors: `there is no ${program} ${args.join(' ')}` }
    for (const [, name = '', text = ''] of readFileSync(file, 'utf8').matchAll(/^(\w+)="((?:\\.|[^"\\])*)"$/gm))
      values.set(
        name,
        text.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
      )
    return { code: 0, out: '', errors: '' }
  }
}

/** Replaces the API server, which the local cluster does not have. The answers are those of a cluster in which nothing is installed. */
function withoutServer(access: Access): Access {
  return {
    ...access,
    web: registryWeb,
    transport: (to) => (to.server.includes('.invalid') ? async () => ({ status: 200, json: { items: [] } }) : access.transport(to)),
  }
}

export type HookWorld = {
  readonly azure: LocalAzure
  readonly values: Map<string, string>
  readonly lines: string[]
  /** Returns the dependencies for one run of a hook. */
  readonly deps: () => HookDeps
  readonly close: () => Promise<void>
}

/** Starts the local ARM with its one cluster, and an environment of azd. Hooks get access to both. */
export async function hookWorld(options: StartAzureOptions = {}): Promise<HookWorld> {
  const { azure, credential, arm } = await startHarness(options)
  const cluster = azure.getResource(azure.clusterResourceId)
  if (cluster === undefined) throw new Error('there is no cluster')
  azure.putResource({ ...cluster, kubeconfig: KUBECONFIG })
  const values = new Map([
    ['AZURE_ENV_NAME', 'dev'],
    ['AZURE_SUBSCRIPTION_ID', azure.subscriptionId],
    ['AZURE_LOCATION', azure.location],
    ['JOINER_CLUSTER_IDS', azure.clusterResourceId],
  ])
  const lines: string[] = []
  const access = openAccess({}, { credential, armOptions: { endpoint: arm.endpoint, ca: arm.ca }, clock: REAL_CLOCK })
  return {
    azure,
    values,
    lines,
    deps: () => ({
      environment: Object.fromEntries(values),
      access: withoutServer(access),
      run: fakeAzd(values),
      print: (line) => void lines.push(line),
    }),
    close: () => azure.close(),
  }
}

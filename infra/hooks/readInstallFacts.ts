// What the preflight wants to know beside the clusters. What Azure does not tell is left out, and nothing is said of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type ArmAnswer, isFine, member } from '../../cli/armCall.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { defined } from '../../shared/base/defined.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { InstallFacts, ScopePermissions, SubnetFacts, ToolFacts } from '../../shared/model/installFacts.ts'
import { neededAt } from './deployerNeeds.ts'
import type { HookDeps } from './hookDeps.ts'
import type { Wishes } from './wishes.ts'

const VERSIONS = { providers: '2021-04-01', permissions: '2022-04-01', web: '2024-11-01', network: '2025-05-01' }
/** Of Azure, for what the templates make. */
const NAMESPACES = [
  'App',
  'ContainerService',
  'EventGrid',
  'Insights',
  'ManagedIdentity',
  'Network',
  'OperationalInsights',
  'Storage',
  'Web',
]

type Deps = Pick<HookDeps, 'access' | 'run' | 'environment'>

export async function readInstallFacts(deps: Deps, wishes: Wishes, clusters: readonly ClusterFacts[]): Promise<InstallFacts> {
  const { environmentName, location, subnets } = wishes
  const read: InstallFacts = {
    environmentName,
    ...defined({ location, flexRegions: await flexRegions(deps, wishes) }),
    providers: await providersOf(deps, wishes),
    permissions: await permissionsOf(deps, wishes, clusters),
    tools: [await helmOf(deps)],
    subnets: wishes.network === 'public' ? [] : await subnetsOf(deps, subnets),
    charts: [],
  }
  return read
}

/** The version of the charts that this repository installs. */
export function ownChartVersion(): string {
  return /^version: (.*)$/m.exec(readFileSync(join(repositoryRoot, 'charts/joiner/Chart.yaml'), 'utf8'))?.[1] ?? ''
}

async function get({ access }: Deps, path: string, version: string, query: { readonly [name: string]: string } = {}): Promise<ArmAnswer> {
  return access.arm({ method: 'GET', path, version, query })
}

function itemsOf(answer: ArmAnswer): readonly unknown[] | undefined {
  const items = member(answer.body, 'value')
  return isFine(answer) && Array.isArray(items) ? items : undefined
}

async function flexRegions(deps: Deps, { subscriptionId }: Wishes): Promise<readonly string[] | undefined> {
  const answer = await get(deps, `/subscriptions/${subscriptionId}/providers/Microsoft.Web/geoRegions`, VERSIONS.web, {
    sku: 'FlexConsumption',
  })
  const names = itemsOf(answer)?.map((item) => member(item, 'name'))
  return names?.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase().replaceAll(' ', '')] : []))
}

async function providersOf(deps: Deps, { subscriptionId }: Wishes): Promise<InstallFacts['providers']> {
  const all = await Promise.all(
    NAMESPACES.map(async (name) => {
      const namespace = `Microsoft.${name}`
      const answer = await get(deps, `/subscriptions/${subscriptionId}/providers/${namespace}`, VERSIONS.providers)
      const state = member(answer.body, 'registrationState')
      return isFine(answer) && typeof state === 'string' ? [{ namespace, state }] : []
    }),
  )
  return all.flat()
}

const permission = z.object({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })

async function permissionsOf(deps: Deps, wishes: Wishes, clusters: readonly ClusterFacts[]): Promise<readonly ScopePermissions[]> {
  const found: ScopePermissions[] = []
  for (const { scope, needs } of neededAt(deps.environment, wishes, clusters)) {
    const answer = await get(deps, `${scope}/providers/Microsoft.Authorization/permissions`, VERSIONS.permissions)
    const granted = z.array(permission).safeParse(itemsOf(answer))
    if (granted.success) found.push({ scope, needs, granted: granted.data })
  }
  return found
}

/** A Helm that somebody built from its sources says no patch: `v4.3`. */
async function helmOf({ run }: Deps): Promise<ToolFacts> {
  const { code, out } = await run('helm', ['version', '--template', '{{.Version}}'])
  const version = code === 0 ? /v?\d+\.\d+\S*/.exec(out)?.[0] : undefined
  return { name: 'helm', least: '3.14.0', remedy: 'install it from https://helm.sh/docs/intro/install', ...defined({ version }) }
}

const subnet = z.object({
  properties: z.object({
    addressPrefix: z.string().nullish(),
    addressPrefixes: z.array(z.string()).nullish(),
    delegations: z.array(z.object({ properties: z.object({ serviceName: z.string() }) })).nullish(),
    ipConfigurations: z.array(z.object({ id: z.string() })).nullish(),
    serviceAssociationLinks: z.array(z.object({ name: z.string().optional() })).nullish(),
  }),
})

async function subnetsOf(deps: Deps, { app, endpoints }: Wishes['subnets']): Promise<readonly SubnetFacts[]> {
  const wanted = [
    ['app', app],
    ['endpoints', endpoints],
  ] as const
  const all: SubnetFacts[] = []
  for (const [purpose, id] of wanted) {
    if (id === undefined) continue
    const answer = await get(deps, id, VERSIONS.network)
    if (answer.status === 404) all.push({ id, purpose })
    // Once the app is there, the link to it is its own.
    const found = isFine(answer) ? subnetOf(answer.body, Boolean(deps.environment['JOINER_APP_NAME'])) : undefined
    if (found !== undefined) all.push({ id, purpose, found })
  }
  return all
}

function subnetOf(body: unknown, isOurs: boolean): SubnetFacts['found'] {
  const read = subnet.safeParse(body).data?.properties
  if (read === undefined) return undefined
  const [prefix = ''] = read.addressPrefixes ?? [read.addressPrefix ?? '']
  const links = isOurs ? [] : (read.serviceAssociationLinks ?? []).map(({ name = 'another app' }) => name)
  return {
    bits: Number(prefix.split('/')[1]),
    delegations: (read.delegations ?? []).map(({ properties }) => properties.serviceName),
    takenBy: [...(read.ipConfigurations ?? []).map(({ id }) => id), ...links],
  }
}

// Finds other programs that make machines for pending pods, by what they have in the cluster.
import * as z from 'zod'
import type { ProvisionerFacts } from '../../shared/model/installFacts.ts'
import type { ClusterAccess } from '../clusterAccess.ts'

type Found = Omit<ProvisionerFacts, 'cluster'>
/** What the API server does not tell has a reason. */
export type FoundProvisioners = { readonly found: readonly Found[]; readonly untold: readonly string[] }

const LIMIT_MS = 30_000
const PAGE = '500'

/** Names of images and of charts: karpenter of Azure and of kubernetes-sigs (2026-08), cluster-autoscaler of kubernetes (2026-08). */
const BY_IMAGE: readonly (readonly [image: RegExp, name: Found['name']])[] = [
  [/(^|\/)karpenter\/controller(?=[:@]|$)/, 'Karpenter'],
  [/(^|\/)cluster-autoscaler(-\w+)?(?=[:@]|$)/, 'Cluster Autoscaler'],
]
const BY_CHART: readonly (readonly [label: string, name: Found['name']])[] = [
  ['karpenter', 'Karpenter'],
  ['cluster-autoscaler', 'Cluster Autoscaler'],
]

/** The Lease of every Karpenter: `LeaderElectionID` of its operator, kubernetes-sigs/karpenter pkg/operator/operator.go, 2026-08. */
const LEASE = 'karpenter-leader-election'
/** Clocks of machines differ. */
const CLOCK_MS = 60_000

const meta = z.object({ name: z.string(), namespace: z.string().default(''), labels: z.record(z.string(), z.string()).default({}) })
const deployment = z.object({
  metadata: meta,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ containers: z.array(z.object({ image: z.string().default('') })).default([]) }) }),
  }),
})
const lease = z.object({
  metadata: meta,
  spec: z
    .object({ holderIdentity: z.string().nullish(), renewTime: z.string().nullish(), leaseDurationSeconds: z.number().nullish() })
    .default({}),
})
const page = z.object({
  items: z.array(z.unknown()),
  metadata: z.object({ continue: z.string().nullish() }).default({}),
})

/** `now` is the time in milliseconds. */
export async function otherProvisioners({ call }: Pick<ClusterAccess, 'call'>, now: number): Promise<FoundProvisioners> {
  const deployments = await itemsAt(call, '/apis/apps/v1/deployments', deployment)
  const leases = await itemsAt(call, '/apis/coordination.k8s.io/v1/leases', lease, { fieldSelector: `metadata.name=${LEASE}` })
  const lists = [deployments, leases]
  const running = deployments.items.flatMap((each) => runningIn(each))
  // A Karpenter whose Deployment was found is not reported again for its Lease.
  const held = running.some(({ name }) => name === 'Karpenter') ? [] : leases.items.filter((each) => isHeld(each, now))
  return {
    found: [...running, ...held.map(({ metadata }): Found => ({ name: 'Karpenter', shownBy: shown('Lease', metadata) }))],
    untold: lists.flatMap(({ why }) => why ?? []),
  }
}

function runningIn({ metadata, spec: { replicas, template } }: z.output<typeof deployment>): readonly Found[] {
  if (replicas === 0) return []
  const images = template.spec.containers.map(({ image }) => image)
  const [, ofImage] = BY_IMAGE.find(([pattern]) => images.some((image) => pattern.test(image))) ?? []
  const [, ofChart] = BY_CHART.find(([label]) => metadata.labels['app.kubernetes.io/name'] === label) ?? []
  const name = ofImage ?? ofChart
  return name === undefined ? [] : [{ name, shownBy: shown('Deployment', metadata) }]
}

/** A Karpenter that stops gives its Lease back. One that died keeps it, and no longer renews it. */
function isHeld({ spec: { holderIdentity, renewTime, leaseDurationSeconds } }: z.output<typeof lease>, now: number): boolean {
  const renewed = Date.parse(renewTime ?? '')
  return Boolean(holderIdentity) && now - renewed < (leaseDurationSeconds ?? 0) * 1_000 + CLOCK_MS
}

const shown = (kind: Found['shownBy']['kind'], { namespace, name }: z.output<typeof meta>): Found['shownBy'] => ({ kind, namespace, name })

type Items<Item> = { readonly items: readonly Item[]; readonly why?: string }

/** Reads all pages. Objects that cannot be read, and refusals, are told as a reason. */
async function itemsAt<Schema extends z.ZodType>(
  call: ClusterAccess['call'],
  path: string,
  schema: Schema,
  more: { readonly [name: string]: string } = {},
): Promise<Items<z.output<Schema>>> {
  const items: z.output<Schema>[] = []
  let next: string | undefined = ''
  while (next !== undefined) {
    const query = { ...more, limit: PAGE, ...(next === '' ? {} : { continue: next }) }
    const { status, json } = await call({ method: 'GET', path, query }, AbortSignal.timeout(LIMIT_MS))
    const read = page.safeParse(json)
    if (status !== 200 || !read.success) return { items, why: `the API server answered ${status} to a list of ${path.split('/').at(-1)}` }
    for (const each of read.data.items) {
      const item = schema.safeParse(each)
      if (!item.success)
        return { items, why: `one of the ${path.split('/').at(-1)} is not understood: ${item.error.issues[0]?.path.join('.')}` }
      items.push(item.data)
    }
    next = read.data.metadata.continue || undefined
  }
  return { items }
}

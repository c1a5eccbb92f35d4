import { describe, expect, it } from 'vitest'
import type { Resources } from '../../model/resources.ts'
import { objectFromKube } from './object.ts'

type Amounts = { readonly [resource: string]: string }
type Given = { readonly requests?: Amounts; readonly limits?: Amounts }
type Container = { readonly name: string; readonly restartPolicy?: string; readonly resources: Given }
type Spec = { readonly containers: readonly Container[]; readonly initContainers: readonly Container[]; readonly resources?: Given }

const RESOURCES = ['cpu', 'memory', 'hugepages-2Mi', 'ephemeral-storage', 'example.com/device']
const OVERCOMMITTED = ['cpu', 'memory']
const KINDS = ['none', 'init', 'sidecar'] as const
const PRESENT = ['neither', 'request', 'limit', 'both'] as const

function given(resource: string, present: (typeof PRESENT)[number], request: string, limit: string): Given {
  const isHuge = resource.startsWith('hugepages-')
  return {
    ...(present === 'request' || present === 'both' ? { requests: { [resource]: isHuge ? limit : request } } : {}),
    ...(present === 'limit' || present === 'both' ? { limits: { [resource]: limit } } : {}),
  }
}

/** Every combination of requests and limits of one resource in a container, an init container or sidecar, and the pod as a whole. */
function specsOf(resource: string): readonly Spec[] {
  return PRESENT.flatMap((main) =>
    KINDS.flatMap((kind) =>
      (kind === 'none' ? (['neither'] as const) : PRESENT).flatMap((other) =>
        PRESENT.map((pod) => ({
          containers: [
            { name: 'a', resources: given(resource, main, '2', '4') },
            { name: 'b', resources: given(resource, main, '1', '2') },
          ],
          initContainers:
            kind === 'none'
              ? []
              : [{ name: 'c', ...(kind === 'sidecar' ? { restartPolicy: 'Always' } : {}), resources: given(resource, other, '5', '7') }],
          resources: given(resource, pod, '16', '32'),
        })),
      ),
    ),
  )
}

/** The pod of the template, with the defaults that the API server of Kubernetes 1.36 sets, in its order. */
function defaulted({ containers, initContainers, resources }: Spec): Spec {
  const filled = (container: Container): Container => ({
    ...container,
    resources: { ...container.resources, requests: { ...container.resources.limits, ...container.resources.requests } },
  })
  const all = { containers: containers.map(filled), initContainers: initContainers.map(filled) }
  if (resources === undefined) return all
  const named = new Set([...all.containers, ...all.initContainers].flatMap((each) => Object.keys(each.resources.requests ?? {})))
  const total = podRequests(all)
  const requests: { [resource: string]: string } = { ...resources.requests }
  for (const name of OVERCOMMITTED) {
    if (!Object.keys(resources.limits ?? {}).includes(name) || !named.has(name)) continue
    requests[name] ??= name === 'cpu' ? `${total[name] ?? 0}m` : `${total[name] ?? 0}`
  }
  for (const [name, limit] of Object.entries(resources.limits ?? {}))
    if (name.startsWith('hugepages-') || OVERCOMMITTED.includes(name)) requests[name] ??= limit
  return { ...all, resources: { ...resources, requests } }
}

function podRequests(spec: Spec): Resources {
  const read = objectFromKube('pod', { metadata: { name: 'p', namespace: 'default', uid: 'p' }, spec, status: { phase: 'Pending' } })
  if (!read.ok) throw new Error(read.error.message)
  return read.value.requests
}

function templateRequests(spec: Spec): Resources {
  const read = objectFromKube('daemonSet', { metadata: { name: 'd', namespace: 'default', uid: 'd' }, spec: { template: { spec } } })
  if (!read.ok) throw new Error(read.error.message)
  return read.value.pod.requests
}

describe.each(RESOURCES)('%s of a pod template', (resource) => {
  it('is what its pods request once the API server has set their defaults', () => {
    const specs = specsOf(resource)
    expect(specs.length).toBe(4 * (1 + 2 * 4) * 4)
    const told = (requestsOf: (spec: Spec) => Resources) =>
      specs.map((spec) => `${JSON.stringify(spec)} ${requestsOf(spec)[resource] ?? 0}`)
    expect(told(templateRequests)).toEqual(told((spec) => podRequests(defaulted(spec))))
  })
})

describe('limits of the pod as a whole in a template', () => {
  const limits = { cpu: '3', memory: '4Gi' }
  const of = (...requests: readonly Amounts[]) => requests.map((each, index) => ({ name: `c${index}`, resources: { requests: each } }))

  it('are no requests of what its containers request', () => {
    const containers = of({ cpu: '100m', memory: '64Mi' }, { cpu: '50m', memory: '64Mi' })
    expect(templateRequests({ containers, initContainers: [], resources: { limits } })).toEqual({
      cpu: 150,
      memory: 128 * 1024 ** 2,
      pods: 1,
    })
  })

  it('are requests of what no container requests', () => {
    const containers = of({ cpu: '100m' }, {})
    expect(templateRequests({ containers, initContainers: [], resources: { limits } })).toEqual({
      cpu: 100,
      memory: 4 * 1024 ** 3,
      pods: 1,
    })
  })
})

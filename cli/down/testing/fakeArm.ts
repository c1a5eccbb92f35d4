import type { Arm } from '../../armCall.ts'

export const SUBSCRIPTION = '00000000-0000-0000-0000-000000000001'
export const OTHER_SUBSCRIPTION = '00000000-0000-0000-0000-000000000002'
export const ARM_GROUP = 'rg-joiner-test'
export const TOKEN = 'abcdefghijklm'

type Resource = { readonly id: string; readonly name: string; readonly properties?: object; readonly managedBy?: string }

/**
 * An ARM with resources by id, in lower case. A list returns the resources below its path. A role that is assigned cannot be deleted, as in Azure.
 */
export function createFakeArm() {
  const resources = new Map<string, Resource>()
  const refusals: { readonly match: RegExp; readonly status: number; times: number }[] = []

  const arm: Arm = ({ method, path }) => {
    const key = path.toLowerCase()
    const refusal = refusals.find(({ match, times }) => times > 0 && match.test(`${method} ${path}`))
    if (refusal !== undefined) {
      refusal.times--
      return Promise.resolve({ status: refusal.status, body: { error: { code: 'Refused', message: 'not now' } }, headers: {} })
    }
    if (method === 'DELETE') return Promise.resolve({ status: remove(key), body: {}, headers: {} })
    if (/\/(virtualnetworkpeerings|virtualnetworklinks)\//.test(key)) {
      const one = resources.get(key)
      return Promise.resolve(one === undefined ? { status: 404, body: {}, headers: {} } : { status: 200, body: one, headers: {} })
    }
    const type = key.split('/').slice(-2).join('/')
    const scope = key.slice(0, key.length - `/providers/${type}`.length)
    const found = [...resources].filter(([id]) =>
      key.includes('/eventsubscriptions')
        ? id.startsWith(`${key}/`)
        : id.startsWith(`${scope}/`) && id.includes(`/${type}/`) && !id.split(`/${type}/`)[1]?.includes('/'),
    )
    const value = found.map(([, each]) => each)
    return Promise.resolve({ status: 200, body: { value }, headers: {} })
  }

  function remove(key: string): number {
    const isAssigned = [...resources.values()].some(
      ({ properties }) => String(Reflect.get(properties ?? {}, 'roleDefinitionId')).toLowerCase() === key,
    )
    if (isAssigned) return 400
    return resources.delete(key) ? 200 : 404
  }

  return {
    arm,
    ids: () => [...resources.keys()].sort(),
    put(id: string, more: Omit<Resource, 'id' | 'name'> = {}) {
      resources.set(id.toLowerCase(), { id, name: id.slice(id.lastIndexOf('/') + 1), ...more })
    },
    /** Answers the next `times` matching calls, written `METHOD path`, with the status. */
    refuse: (match: RegExp, status: number, times = 1) => void refusals.push({ match, status, times }),
  }
}

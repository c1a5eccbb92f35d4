import { describe, expect, it } from 'vitest'
import { type TestServer, withServer } from './testing/withServer.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

type Owner = {
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
  readonly apiVersion?: string
}

async function make(server: TestServer, path: string, name: string, owners: readonly Owner[] = [], more: object = {}): Promise<string> {
  const ownerReferences = owners.map((owner) => ({ apiVersion: 'v1', ...owner }))
  const made = await server.call('POST', path, { metadata: { name, ownerReferences, ...more } })
  return (made.body as { metadata: { uid: string } }).metadata.uid
}
const map = (name: string, uid: string, more: Partial<Owner> = {}): Owner => ({ kind: 'ConfigMap', name, uid, ...more })
const names = ({ server }: TestServer, resource = 'configmaps', namespace = 'default') =>
  server.store.list(resource, namespace).map(({ metadata }) => metadata.name)
/** Waits for the collector. Garbage is collected in the order in which it was found, so once the probe is gone, all before it was looked at. */
async function collected(server: TestServer): Promise<void> {
  await make(server, MAPS, 'probe', [map('nobody', 'none')])
  await expect.poll(() => names(server)).not.toContain('probe')
}

describe('what an owner leaves behind', () => {
  it('goes with it wherever it is, though it has one name', async () => {
    await withServer({ namespaces: ['team'] }, async (server) => {
      const uid = await make(server, '/api/v1/nodes', 'owner')
      const node = { kind: 'Node', name: 'owner', uid }
      await make(server, MAPS, 'same', [node])
      await make(server, '/api/v1/namespaces/team/configmaps', 'same', [node])
      await make(server, '/api/v1/namespaces/default/secrets', 'same', [node])
      await make(server, MAPS, 'other', [node])
      await collected(server)
      expect(names(server)).toEqual(expect.arrayContaining(['same', 'other']))
      await server.call('DELETE', '/api/v1/nodes/owner')
      await expect
        .poll(() => [...names(server), ...names(server, 'configmaps', 'team'), ...names(server, 'secrets')])
        .not.toEqual(expect.arrayContaining([expect.stringMatching(/same|other/)]))
    })
  })

  it('stays while another owner is there, and forgets the one that is gone', async () => {
    await withServer({}, async (server) => {
      const [one, two] = [await make(server, MAPS, 'one'), await make(server, MAPS, 'two')]
      await make(server, MAPS, 'dependent', [map('one', one), map('two', two)])
      await server.call('DELETE', `${MAPS}/one`)
      await expect
        .poll(() => server.server.store.get('configmaps', 'default', 'dependent')?.metadata.ownerReferences)
        .toEqual([expect.objectContaining({ name: 'two', uid: two })])
      await server.call('DELETE', `${MAPS}/two`)
      await expect.poll(() => names(server)).not.toContain('dependent')
    })
  })

  it('goes where its owner was replaced by another of the same name, and where it was never there', async () => {
    await withServer({}, async (server) => {
      await make(server, MAPS, 'owner')
      await make(server, MAPS, 'stale', [map('owner', 'another-uid')])
      await make(server, MAPS, 'orphan', [map('never', 'never')])
      await expect.poll(() => names(server)).not.toEqual(expect.arrayContaining([expect.stringMatching(/stale|orphan/)]))
      expect(names(server)).toContain('owner')
    })
  })

  it('stays where nobody knows the kind of its owner', async () => {
    await withServer({}, async (server) => {
      await make(server, MAPS, 'dependent', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w' }])
      await collected(server)
      expect(names(server)).toContain('dependent')
    })
  })

  it('goes down the line of owners', async () => {
    await withServer({}, async (server) => {
      let uid = await make(server, MAPS, 'first')
      for (const [owner, name] of [
        ['first', 'second'],
        ['second', 'third'],
      ] as const)
        uid = await make(server, MAPS, name, [map(owner, uid)])
      await server.call('DELETE', `${MAPS}/first`)
      await expect.poll(() => names(server)).not.toEqual(expect.arrayContaining([expect.stringMatching(/second|third/)]))
    })
  })
})

describe('an owner that goes in the foreground', () => {
  it('waits for those alone that hold it', async () => {
    await withServer({}, async (server) => {
      const uid = await make(server, MAPS, 'owner')
      const finalizers = ['example.com/keep']
      await make(server, MAPS, 'holds', [map('owner', uid, { blockOwnerDeletion: true })], { finalizers })
      await make(server, MAPS, 'does-not', [map('owner', uid)], { finalizers })
      await server.call('DELETE', `${MAPS}/owner`, { propagationPolicy: 'Foreground' })
      const isLeaving = (name: string) => server.server.store.get('configmaps', 'default', name)?.metadata.deletionTimestamp !== undefined
      await expect.poll(() => [isLeaving('owner'), isLeaving('holds'), isLeaving('does-not')]).toEqual([true, true, true])
      await server.call('PATCH', `${MAPS}/holds`, { metadata: { finalizers: null } })
      await expect.poll(() => names(server)).not.toContain('owner')
      expect(names(server)).toContain('does-not')
    })
  })

  it('keeps the finalizers of others until they are done', async () => {
    await withServer({}, async (server) => {
      await make(server, MAPS, 'owner', [], { finalizers: ['example.com/keep'] })
      await server.call('DELETE', `${MAPS}/owner`, { propagationPolicy: 'Foreground' })
      const finalizers = () => server.server.store.get('configmaps', 'default', 'owner')?.metadata.finalizers
      await expect.poll(finalizers).toEqual(['example.com/keep'])
      await server.call('PATCH', `${MAPS}/owner`, { metadata: { finalizers: null } })
      await expect.poll(() => names(server)).not.toContain('owner')
    })
  })
})

describe('an owner that gives up its dependents', () => {
  it('leaves them to their other owners, or to nobody', async () => {
    await withServer({}, async (server) => {
      const [one, two] = [await make(server, MAPS, 'one'), await make(server, MAPS, 'two')]
      await make(server, MAPS, 'alone', [map('one', one)])
      await make(server, MAPS, 'shared', [map('one', one), map('two', two)])
      await server.call('DELETE', `${MAPS}/one`, { propagationPolicy: 'Orphan' })
      await expect.poll(() => names(server)).not.toContain('one')
      const ownersOf = (name: string) => server.server.store.get('configmaps', 'default', name)?.metadata.ownerReferences
      expect([ownersOf('alone'), ownersOf('shared')?.map(({ name }) => name)]).toEqual([undefined, ['two']])
    })
  })
})

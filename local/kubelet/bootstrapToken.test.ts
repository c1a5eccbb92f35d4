import { describe, expect, it } from 'vitest'
import { NODES } from '../cluster/client/resource.ts'
import { type TestCluster, withCluster } from './testing/withCluster.ts'

const OWN = 'qwerty.0123456789abcdef'
const HOUR_MS = 3_600_000

/** Makes the bootstrap token of a claim, as Joiner does. */
async function makeToken({ api }: TestCluster, facts: { readonly claim: string; readonly expiresAt?: number }): Promise<void> {
  const [id, secret] = OWN.split('.')
  const answer = await api.post('/api/v1/namespaces/kube-system/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration: new Date(facts.expiresAt ?? Date.now() + HOUR_MS).toISOString().replace(/\.[0-9]+Z/, 'Z'),
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'false',
      'auth-extra-groups': `system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-${facts.claim}`,
    },
  })
  if (!answer.ok) throw new Error(answer.error.message)
}

const dropToken = ({ api }: TestCluster) =>
  api.remove({ apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }, { namespace: 'kube-system', name: 'bootstrap-token-qwerty' })

const isReady = async ({ api }: TestCluster) => {
  const seen = await api.get(NODES, { name: 'joiner-default-abcde' })
  return seen.ok && seen.value.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

describe('a bootstrap token made for one machine', () => {
  it('lets that machine join, and is not needed afterwards', async () => {
    await withCluster({ speed: 5 }, async (cluster) => {
      await makeToken(cluster, { claim: 'default-abcde' })
      cluster.boot('joiner-default-abcde', { token: OWN })
      await cluster.until('the node', async () => (await cluster.api.get(NODES, { name: 'joiner-default-abcde' })).ok)
      expect((await dropToken(cluster)).ok).toBe(true)
      await cluster.until('the node ready', () => isReady(cluster))
    })
  })

  const REFUSED: { readonly [sentence: string]: { readonly claim: string; readonly expiresAt?: number; readonly want: string } } = {
    'an expired one': {
      claim: 'default-abcde',
      expiresAt: Date.now() - 1000,
      want: 'the API server does not know the bootstrap token: wrong, expired or deleted (401)',
    },
    'one of another machine': { claim: 'default-other', want: '403 Forbidden' },
  }
  for (const [sentence, { want, ...facts }] of Object.entries(REFUSED)) {
    it(`lets nobody join: ${sentence}`, async () => {
      await withCluster({ speed: 50 }, async (cluster) => {
        await makeToken(cluster, facts)
        cluster.boot('joiner-default-abcde', { token: OWN })
        const line = await cluster.until('a refusal', async () => cluster.kubelets.logs[0])
        expect([line.stage, line.message.slice(0, want.length)]).toEqual(['credential', want])
        expect((await cluster.api.get(NODES, { name: 'joiner-default-abcde' })).ok).toBe(false)
      })
    })
  }

  it('falls silent with the token where nothing better was asked for', async () => {
    const options = { speed: 20, kubelets: () => ({ credentials: 'bootstrapToken' as const, leasePeriodMs: 200 }) }
    await withCluster(options, async (cluster) => {
      await makeToken(cluster, { claim: 'default-abcde' })
      cluster.boot('joiner-default-abcde', { token: OWN })
      await cluster.until('the node ready', () => isReady(cluster))
      await dropToken(cluster)
      await cluster.until('a complaint', async () =>
        cluster.kubelets.logs.find(({ message }) => message.startsWith('cannot renew the lease')),
      )
    })
  })
})

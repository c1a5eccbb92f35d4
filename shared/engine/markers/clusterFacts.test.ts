import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { driftIn, markedClaim, markOf, STAMPS } from '../../../test/builders/marked.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { ANNOTATION } from '../../model/labels.ts'

describe('a claim whose cluster has other facts now', () => {
  const of = (text: string) => markedClaim({ ...STAMPS, [ANNOTATION.clusterFacts]: `v1 ${text}` })
  const now = (clusterFacts: { readonly [name: string]: string }) => ({ settings: { clusterFacts } })

  it.each([
    [
      'has drifted by each of them',
      'dns=1 httpProxy=1 trustedCertificates=1',
      { dns: '1', httpProxy: '2', trustedCertificates: '2' },
      'httpProxy, trustedCertificates of the cluster have changed',
    ],
    ['has drifted by the one', 'dns=1 httpProxy=1', { dns: '1', httpProxy: '2' }, 'httpProxy of the cluster has changed'],
  ])('%s', (_sentence, then, facts, says) => {
    expect(driftIn(markOf(of(then), now(facts)))).toContain(`True ClusterConfigDrift: ${says}`)
  })

  it.each([
    ['where they are the same', 'dns=1', { dns: '1' }],
    ['where they are not known now', 'dns=1', undefined],
    ['where one is not known any more', 'dns=1 httpProxy=1', { dns: '1' }],
  ])('has not drifted %s', (_sentence, then, facts) => {
    expect(markOf(of(then), facts === undefined ? {} : now(facts))).toBeUndefined()
  })

  it('is held to those that it lacks from now on, and has not drifted by them', () => {
    const facts = { dns: '1', httpProxy: '2' }
    const want = { [ANNOTATION.clusterFacts]: 'v1 dns=1 httpProxy=2' }
    expect(markOf(markedClaim(), now(facts))).toEqual({ kind: 'markClaim', claim: 'default-aaaaa', annotations: want })
    expect(markOf(of('dns=1'), now(facts))).toEqual({ kind: 'markClaim', claim: 'default-aaaaa', annotations: want })
  })

  it('says a change of its class first', () => {
    const nodeClasses = [nodeClass({ spec: { osDiskSizeGb: 512 } })]
    expect(driftIn(markOf(of('dns=1'), { ...now({ dns: '2' }), objects: { nodeClass: nodeClasses } }))).toContain('NodeClassDrift')
  })

  it('loses its condition once the facts are those of its launch again', () => {
    const marked = of('dns=1')
    const conditions = [...marked.status.conditions, condition('Drifted', { reason: 'ClusterConfigDrift' })]
    const mark = markOf({ ...marked, status: { ...marked.status, conditions } }, now({ dns: '1', added: '1' }))
    expect(mark?.conditions?.map(({ type }) => type)).not.toContain('Drifted')
  })
})

import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { wireReducer } from './wireReducer.ts'

const STRANDED = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: '2026-01-01T00:00:00Z' }

function pod(spec: object, conditions: readonly object[]): object {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1' }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'c' }], ...spec },
    status: { phase: 'Pending', conditions },
  }
}

function reduced(kind: ObjectKind, json: unknown) {
  const read = wireReducer(kind, json)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

describe('an object of the cluster', () => {
  it.each<[sentence: string, json: object, pending: boolean]>([
    ['a pod that the scheduler could not place is pending', pod({}, [STRANDED]), true],
    ['a pod that the scheduler has not looked at is not', pod({}, []), false],
    ['a pod that has a node is not', pod({ nodeName: 'n' }, [STRANDED]), false],
    ['a pod that was placed is not', pod({ nodeName: 'n' }, [{ ...STRANDED, status: 'True' }]), false],
  ])('%s', (_sentence, json, pending) => expect(reduced('pod', json).pending).toBe(pending))

  it('of another kind is never pending, and comes as compact JSON', () => {
    const metadata = { name: 'quiet', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', labels: { team: 'a' } }
    const { compact, pending } = reduced('namespace', { apiVersion: 'v1', kind: 'Namespace', metadata })
    expect(pending).toBe(false)
    expect(compact).toMatchObject({ name: 'quiet', labels: { team: 'a' } })
  })

  it('that nobody can read is refused', () => {
    const read = wireReducer('pod', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 7 } })
    expect(read).toMatchObject({ ok: false, error: { code: 'POD.INVALID' } })
  })
})

import { describe, expect, it } from 'vitest'
import { pod } from '../../../../test/builders/pod.ts'
import { randomSnapshot } from '../../../../test/generators/randomSnapshot.ts'
import { partSharer } from './sharedParts.ts'

describe('pods that share what they say', () => {
  it('are equal to what they were', () => {
    const share = partSharer()
    const pods = Array.from({ length: 40 }, (_, seed) => randomSnapshot(seed).objects.pod).flat()
    expect(pods.map(share)).toEqual(pods)
  })

  it('hold one copy of what is equal', () => {
    const share = partSharer()
    const [first, second] = [pod({ name: 'first', labels: { app: 'web' } }), pod({ name: 'second', labels: { app: 'web' } })].map(share)
    expect(first?.labels).toBe(second?.labels)
    expect(first?.requests).toBe(second?.requests)
    expect(share(pod({ labels: { app: 'db' } })).labels).not.toBe(first?.labels)
  })
})

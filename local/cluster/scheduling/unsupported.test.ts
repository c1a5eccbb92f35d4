import { describe, expect, it } from 'vitest'
import { testPod } from '../testing/objects.ts'
import { unsupportedReason } from './unsupported.ts'

const saidOf = (spec: object) => unsupportedReason(testPod('web', { spec: { containers: [], ...spec } }))

describe('what the scheduler does not judge', () => {
  it.each([
    [
      {
        volumes: [
          { name: 'config', configMap: {} },
          { name: 'data', persistentVolumeClaim: { claimName: 'x' } },
        ],
      },
      'volume "data"',
    ],
    [{ volumes: [{ name: 'scratch', ephemeral: {} }] }, 'volume "scratch"'],
    [{ resourceClaims: [{ name: 'gpu' }] }, 'spec.resourceClaims'],
  ])('is said of a pod with %j', (spec, want) => {
    expect(saidOf(spec)).toContain(want)
  })

  it.each([{}, { volumes: [], resourceClaims: [] }, { volumes: [{ name: 'config', configMap: {} }] }])(
    'is nothing of a pod with %j',
    (spec) => {
      expect(saidOf(spec)).toBeUndefined()
    },
  )
})

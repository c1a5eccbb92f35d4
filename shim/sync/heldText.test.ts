import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { realisticPod } from '../../bench/shimPods.ts'
import { KEPT_LISTS } from '../../shared/wire/kept/told.ts'
import type { KubeObject } from '../kube/listObjects.ts'
import { packText, sizeOf, unpackText } from './heldText.ts'
import { keptReducer } from './keptReducer.ts'
import { reduceVersion } from './reducedVersion.ts'

describe('a text that waits', () => {
  it('is the same after it was packed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 9_000 }), (text) => {
        const packed = packText(text)
        expect([unpackText(packed), packed.length, unpackText(text)]).toEqual([text, text.length, text])
      }),
    )
  })

  it('of a pod is packed to less than a third', () => {
    const { text } = reduceVersion(keptReducer(KEPT_LISTS), 'pod', realisticPod(1, { pending: true }) as KubeObject)
    expect(sizeOf(text)).toBe(text.length)
    expect(sizeOf(packText(text))).toBeLessThan(text.length / 3)
  })
})

import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { isDoNotDisrupt } from './podPredicates.ts'

/** A pod with this annotation that started ten minutes ago. */
function annotated(value: string | undefined, shape: PodShape = {}) {
  const annotations = value === undefined ? {} : { [ANNOTATION.doNotDisrupt]: value }
  return pod({ nodeName: 'n', phase: 'Running', annotations, startedAt: ago(10 * MINUTE), ...shape })
}

describe('a pod is protected', () => {
  const { startedAt: _, ...waiting } = annotated('10m')
  it.each<[sentence: string, of: ReturnType<typeof annotated>, isProtected: boolean]>([
    ['PP-01 PP-10 not without the annotation', annotated(undefined), false],
    ['PP-02 PP-11 by true', annotated('true'), true],
    ['not by false', annotated('false'), false],
    ['PP-13 by a duration that is not over', annotated('10m1s'), true],
    ['PP-12 not by a duration that is over', annotated('10m'), false],
    ['PP-08 by a duration before it has started', waiting, true],
    ['PP-14 not once it has ended', annotated('true', { phase: 'Succeeded' }), false],
    ['PP-14 not once it has failed', annotated('true', { phase: 'Failed' }), false],
    ['not while it terminates', annotated('true', { deletedAt: hence(SECOND) }), false],
  ])('%s', (_sentence, of, isProtected) => expect(isDoNotDisrupt(of, NOW)).toBe(isProtected))
})

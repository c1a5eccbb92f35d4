import { describe, expect, it } from 'vitest'
import type { BlobStore } from '../../shared/ports/blobStore.ts'
import { abortedSignal, type Closing, codeOf, fresh, SIGNAL, valueOf } from './harness.ts'

export type BlobStoreHarness = Closing & { readonly blobs: BlobStore }

export function describeBlobStore(name: string, make: () => Promise<BlobStoreHarness> | BlobStoreHarness): void {
  describe(`${name} as a blob store`, () => {
    it('has nothing at first', async () => {
      const { blobs } = await fresh(make)
      expect(await blobs.read('docs/a', SIGNAL)).toBeUndefined()
      expect(await blobs.list('docs/', SIGNAL)).toEqual([])
    })

    it('reads what was written, byte for byte', async () => {
      const { blobs } = await fresh(make)
      const text = '{"n":"é 漢 \\u0000","line":"1\\n2"}'
      const etag = valueOf(await blobs.write('docs/a', text, undefined, SIGNAL))
      expect(await blobs.read('docs/a', SIGNAL)).toEqual({ value: text, etag })
    })

    it('makes a blob once', async () => {
      const { blobs } = await fresh(make)
      await blobs.write('docs/a', 'one', undefined, SIGNAL)
      expect(codeOf(await blobs.write('docs/a', 'two', undefined, SIGNAL))).toBe('STORE.CONFLICT')
      expect((await blobs.read('docs/a', SIGNAL))?.value).toBe('one')
    })

    it('lets one of two writers change it', async () => {
      const { blobs } = await fresh(make)
      const etag = valueOf(await blobs.write('docs/a', 'one', undefined, SIGNAL))
      const outcomes = await Promise.all([blobs.write('docs/a', 'two', etag, SIGNAL), blobs.write('docs/a', 'three', etag, SIGNAL)])
      expect(outcomes.map(codeOf).sort()).toEqual(['STORE.CONFLICT', 'ok'])
    })

    it('changes the etag with every write, also of the same text', async () => {
      const { blobs } = await fresh(make)
      const first = valueOf(await blobs.write('docs/a', 'one', undefined, SIGNAL))
      const second = valueOf(await blobs.write('docs/a', 'one', first, SIGNAL))
      expect(second).not.toBe(first)
      expect(codeOf(await blobs.write('docs/a', 'one', first, SIGNAL))).toBe('STORE.CONFLICT')
    })

    it('does not write to a blob that is gone', async () => {
      const { blobs } = await fresh(make)
      const etag = valueOf(await blobs.write('docs/a', 'one', undefined, SIGNAL))
      await blobs.remove('docs/a', SIGNAL)
      expect(codeOf(await blobs.write('docs/a', 'two', etag, SIGNAL))).toBe('STORE.CONFLICT')
    })

    it('overwrites whatever is there, or nothing', async () => {
      const { blobs } = await fresh(make)
      await blobs.write('docs/a', 'one', 'any', SIGNAL)
      await blobs.write('docs/a', 'two', 'any', SIGNAL)
      expect((await blobs.read('docs/a', SIGNAL))?.value).toBe('two')
    })

    it('lists by prefix, in order', async () => {
      const { blobs } = await fresh(make)
      for (const path of ['docs/b', 'docs/a', 'docs/a/1', 'other/a']) await blobs.write(path, 'x', undefined, SIGNAL)
      expect(await blobs.list('docs/', SIGNAL)).toEqual(['docs/a', 'docs/a/1', 'docs/b'])
    })

    it('removes, and removes again', async () => {
      const { blobs } = await fresh(make)
      await blobs.write('docs/a', 'one', undefined, SIGNAL)
      await blobs.remove('docs/a', SIGNAL)
      await blobs.remove('docs/a', SIGNAL)
      expect(await blobs.read('docs/a', SIGNAL)).toBeUndefined()
    })

    it('ends with the reason of an aborted signal', async () => {
      const { blobs } = await fresh(make)
      await expect(blobs.write('docs/a', 'one', 'any', abortedSignal('enough'))).rejects.toBe('enough')
      expect(await blobs.read('docs/a', SIGNAL)).toBeUndefined()
    })
  })
}

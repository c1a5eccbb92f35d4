import type { Pod } from '../../../model/pod.ts'

export function namespaceOf({ key }: Pick<Pod, 'key'>): string {
  return key.slice(0, key.indexOf('/'))
}

import type { Json } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'

export interface TableColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0: always shown. 1: shown with `-o wide`. */
  readonly priority: number
}

/** A resource as a table. `kubectl get` prints the table that the server answers. */
export interface TableLayout {
  readonly columns: readonly TableColumn[]
  readonly row: (object: KubeObject, nowMs: number) => readonly (Json | undefined)[]
}

export function column(name: string, options: Partial<Omit<TableColumn, 'name'>> = {}): TableColumn {
  return { name, type: 'string', format: name === 'Name' ? 'name' : '', description: '', priority: 0, ...options }
}

/** Returns a column that only `-o wide` shows. */
export function wide(name: string, options: Partial<Omit<TableColumn, 'name'>> = {}): TableColumn {
  return column(name, { priority: 1, ...options })
}

/** What is beyond Event Grid: apps and storage accounts, by their resource ids. */
export type Outlets = {
  /** The webhook of a function, with its key; undefined while its app is not there. */
  functionUrl(functionId: string): string | undefined
  enqueue(storageId: string, queue: string, text: string, ttlSeconds: number | undefined): Promise<void>
  writeBlob(storageId: string, container: string, path: string, text: string): Promise<void>
}

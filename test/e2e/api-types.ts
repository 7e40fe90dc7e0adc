/**
 * The operations that tests call through openapi-fetch, as a client types them. The document of the program decides what is
 * true: `call` compares every answer with it.
 */
export interface ApiPaths {
  '/api/v1/me': { get: Operation<{ query?: never }, { entity: { code: string } }> };
  '/api/v1/parts': { get: Operation<{ query?: PageQuery }, Page<Part>> };
  '/api/v1/parts/{id}': { get: Operation<{ path: { id: string } }, Part> };
  '/api/v1/sensors': { get: Operation<{ query?: PageQuery }, Page<{ id: string; code: string }>> };
  '/api/v1/sensors/{id}/readings': {
    get: Operation<{ query?: ReadingQuery; path: { id: string } }, Page<Reading | ReadingBucket>>;
  };
  '/api/v1/sensors/readings': { post: PostOperation<{ readings: PostedReading[] }, IngestResult> };
}

export interface Reading {
  at: string;
  value: number;
  quality?: string;
}

export interface ReadingBucket {
  at: string;
  avg?: number | null;
  count?: number;
}

export interface IngestResult {
  accepted: number;
  duplicates: number;
  rejected: { index: number; code: string; detail: string }[];
}

interface PostedReading {
  sensor: string;
  /** RFC 3339, or milliseconds since 1970. */
  at?: string | number;
  value: number | boolean;
  unit?: string;
}

interface Part {
  id: string;
  name: string;
  part_number: string;
  description: string | null;
  is_active: boolean;
  weight_kg: number | null;
  updated_at: string;
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

interface Problem {
  status: number;
  code: string;
  detail: string;
}

interface PageQuery {
  limit?: number;
  cursor?: string;
  name?: string;
  part_number?: string;
}

interface ReadingQuery extends PageQuery {
  from?: string;
  to?: string;
  bucket?: string;
  agg?: string[];
}

interface Answers<T> {
  200: { headers: Record<string, unknown>; content: { 'application/json': T } };
  default: { headers: Record<string, unknown>; content: { 'application/problem+json': Problem } };
}

interface Operation<Parameters, T> {
  parameters: Parameters;
  responses: Answers<T>;
}

interface PostOperation<Body, T> {
  parameters: { query?: never };
  requestBody: { content: { 'application/json': Body } };
  responses: Answers<T>;
}

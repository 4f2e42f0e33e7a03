import express, { type NextFunction, type Request, type Response } from 'express';
import { NOT_FOUND, UNAUTHORIZED, isAuthorized, lookUp } from './lookup.js';

/** What a team would write: Express 5, a key check, and a query. */
const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((request: Request, response: Response, next: NextFunction) => {
  if (isAuthorized(request.headers.authorization)) {
    next();
  } else {
    response.status(401).json(UNAUTHORIZED);
  }
});

// Express 5 passes a rejection on to its error handler.
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.get('/suppressions/:suppression', async (request, response) => {
  const found = await lookUp(request.params.suppression);
  if (found) {
    response.json(found);
  } else {
    response.status(404).json(NOT_FOUND);
  }
});

app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));

import { Controller, Get, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { deadlineOf } from '../http/requests/open-requests.js';
import { FailureLimit } from '../http/server/failure-limit.js';
import { clientNetworkOf } from '../http/server/network-addresses.js';
import { HtmlPage, type HtmlResponse } from '../http/responses/html-response.js';
import { Public, Route } from '../http/route.js';
import { Metrics } from '../metrics/metrics.js';
import { trimToken } from '../unsubscribe-links/token.js';
import { readActionForm, type ActionForm } from './action-form.js';
import { TooManyBadLinksError } from './errors.js';
import { LinksService } from './links.service.js';
import { ICON, NotFoundPage, OneClickPage, ProblemPage } from './frame.js';
import { clientOf, recipientOf, type Link } from './link.js';
import { languageOf } from './texts/languages.js';
import { OptOutsService } from './opt-outs.service.js';
import { PreferencesPageService, type ChosenPreferences } from './preferences-page.service.js';
import { STYLESHEET } from './style.js';
import { UnsubscribePage, type Done } from './unsubscribe-page.js';

/** The most nonexistent links that a network may open within a minute. */
const MAX_BAD_LINKS = 60;

/** A mail program may cut the token off. */
const PATHS = [':token', ''];

/** Omitted from the API documentation: recipients and their mail programs call it, and docs/unsubscribe.md describes it. */
@Controller('u')
@ApiExcludeController()
@Route({ response: 'html', body: 'unread', errorPage: ProblemPage })
@Public('Recipients have no API key; the token in the URL says who they are.')
export class UnsubscribeController {
  private readonly badLinks = new FailureLimit(MAX_BAD_LINKS, TooManyBadLinksError);

  constructor(
    private readonly links: LinksService,
    private readonly optOuts: OptOutsService,
    private readonly pages: PreferencesPageService,
    private readonly metrics: Metrics,
  ) {}

  @Get('page.css')
  stylesheet(): HtmlResponse {
    return STYLESHEET;
  }

  @Get('icon.svg')
  icon(): HtmlResponse {
    return ICON;
  }

  /** Changes nothing, since scanners follow links. */
  @Get(PATHS)
  async show(@Req() request: Request, @Param('token') token = ''): Promise<HtmlResponse> {
    const link = await this.findLink(request, token);
    return link
      ? this.page(request, link)
      : new HtmlPage(<NotFoundPage language={languageOf(request)} path={request.path} />, { status: 404 });
  }

  /**
   * Performs the action of a mail program or a button. The response for a link that does not exist is the same, and the body is
   * not read.
   */
  @Post(PATHS)
  @HttpCode(HttpStatus.OK)
  async act(@Req() request: Request, @Param('token') token = ''): Promise<HtmlResponse> {
    const link = await this.findLink(request, token);
    if (!link) {
      return OneClickPage({ language: languageOf(request) });
    }
    const form = await readActionForm(request);
    const done = await this.perform(request, link, form);
    return done === 'one_click'
      ? OneClickPage({ language: languageOf(request) })
      : this.page(request, link, done);
  }

  private async perform(request: Request, link: Link, { action, fields }: ActionForm): Promise<Done> {
    const via = action === 'one_click' ? 'one_click' : 'page';
    const actor = recipientOf(link, via, clientOf(request));
    const context = { accountId: link.accountId, actor, deadline: deadlineOf(request) };
    switch (action) {
      case 'undo':
        await this.optOuts.undo(context, link);
        return action;
      case 'preferences':
        await this.pages.save(context, link, chosenIn(fields));
        return action;
      case 'resubscribe':
        return (await this.pages.resubscribe(context, link, chosenIn(fields))) ? action : 'nothing_selected';
      default:
        await this.optOuts.optOut(context, link, via);
        return action;
    }
  }

  private async page(request: Request, link: Link, done: Done | null = null): Promise<HtmlResponse> {
    const state = await this.pages.getState(link);
    return UnsubscribePage({ state, done, language: languageOf(request), path: request.path });
  }

  /** @throws {TooManyBadLinksError} */
  private async findLink(request: Request, token: string): Promise<Link | null> {
    const trimmed = trimToken(token);
    const link = await this.links.find(
      trimmed,
      request.method === 'POST' ? 'oneForWriting' : 'oneForReading',
    );
    if (!link || trimmed !== token) {
      this.metrics.countDamagedLink(request.method, link ? 'repaired' : 'unknown');
    }
    if (!link) {
      await this.badLinks.count(clientNetworkOf(request));
    }
    return link;
  }
}

function chosenIn(fields: URLSearchParams): ChosenPreferences {
  const shownAs = fields.getAll('shown_as').map((value) => value === 'ticked');
  return {
    everything: fields.has('everything'),
    shown: new Map(fields.getAll('shown').map((id, index) => [id, shownAs[index]])),
    selected: new Set(fields.getAll('topic')),
  };
}

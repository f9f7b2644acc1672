"""Crawl plans: what a crawler finds that follows only the written plan; no model."""
from .engine import example
from .figure import Figure


def crawl():
    """The site of the tests: five kinds of lists, articles, and pages that a crawl has to leave alone."""
    measured = example("bench-crawl")
    of = f"of {measured['articles']}"
    return [
        Figure(f"crawl plan: share of articles found, {of}", measured["found"] / measured["articles"], least=1, is_count=True),
        Figure("crawl plan: found that are no articles", measured["others"], most=0, is_count=True),
        Figure(f"crawl plan: values read right, of {measured['values']}",
               measured["valuesRight"] / measured["values"], least=1, is_count=True),
        Figure("crawl plan: made in", measured["seconds"], "s"),
        Figure("crawl plan: requests to the site", measured["requests"]),
    ]

"""Every page of the dashboard, a block for each subject."""

from allauth.account import views as allauth
from django.urls import path

from accounts import provider
from dashboard.accounts import security
from dashboard.accounts.ai_clients import ai_clients
from dashboard.accounts.command_login import command_login
from dashboard.accounts.first_admin import first_admin
from dashboard.accounts.invited import invited
from dashboard.accounts.members import member_list
from dashboard.accounts.password_link import password_link
from dashboard.accounts.profile import password_page, profile_page, settings_home
from dashboard.accounts.tokens import new_token, revoke_tokens, token_list
from dashboard.accounts.tour import leave_tour
from dashboard.archives.choosing import one_download
from dashboard.archives.downloads import archive_page, crate_page, downloads_page
from dashboard.changes.webhooks import act_on_webhook, new_webhook, webhook_list, webhook_page
from dashboard.datasets.combine import combine_page, combined_curve
from dashboard.datasets.compare import compare_page, compared_curves, compared_facts, compared_wells
from dashboard.datasets.table import dataset_page
from dashboard.feedback.reports import discard_draft, feedback_list, feedback_page
from dashboard.files.listing import act_on_files, files_fragment
from dashboard.files.put_in import complete_file, confirm_files, known_files, part_urls, put_in_page, tickets
from dashboard.files.readers import read_again, reader_list
from dashboard.files.report import report_fragment
from dashboard.files.thumbnails import thumbnail
from dashboard.files.tiles import tile
from dashboard.groups.pages import edit_group, group_list, new_group
from dashboard.holds.pages import project_hold, run_hold
from dashboard.instruments.by_hand import new_instrument
from dashboard.instruments.changes import act_on_instruments, save_instrument
from dashboard.instruments.detail import edit_instrument_page, instrument_page
from dashboard.instruments.lists import instrument_list
from dashboard.notifications.inbox import inbox_page, mute_kind, open_notification, read_notifications
from dashboard.notifications.rules import act_on_rule, rule_list
from dashboard.notifications.settings import notification_settings
from dashboard.overview.eln import save_eln_template
from dashboard.overview.history import instrument_history, run_history
from dashboard.overview.home import home_page, search_page
from dashboard.overview.integrations import integration_settings, integrations_page
from dashboard.overview.integrity import integrity_page
from dashboard.overview.space import space_page
from dashboard.overview.wall import wall_page
from dashboard.projects.lists import change_project, new_project, project_list
from dashboard.retention.pages import instrument_retention
from dashboard.runs.batches import act_on_matching
from dashboard.runs.by_hand import new_run
from dashboard.runs.comments import change_comment, comment_on_run, people_to_mention, take_picture
from dashboard.runs.detail import run_page
from dashboard.runs.gathering import choose_project, tag_run
from dashboard.runs.lists import filter_options, run_list
from dashboard.runs.metadata_form import edit_run_metadata
from dashboard.runs.saved_views import edit_view, new_view, open_view
from dashboard.runs.selection import act_on_runs
from dashboard.sharing.pages import link_list, share_page
from dashboard.sharing.shared import shared_file, shared_run
from dashboard.signatures.pages import revoke_page, sign_page
from dashboard.watchers.arrival import arrival_page
from dashboard.watchers.configuration import edit_configuration, withdraw_configuration
from dashboard.watchers.connecting import connect_page, new_code
from dashboard.watchers.deregistration import deregister_selected
from dashboard.watchers.detail import watcher_page
from dashboard.watchers.instances import settle_watcher_instance
from dashboard.watchers.lists import watcher_list
from dashboard.watchers.programs import download_program
from dashboard.watchers.releases import release_list

INSTRUMENT = "instruments/<slug_id:instrument_id>"
RUN = f"{INSTRUMENT}/runs/<run_id:run_id>"
WATCHER = "watchers/<id:watcher_id>"

pages = [
    # accounts; of allauth's pages only these: nobody registers, resets a password or changes an address by themselves
    path("accounts/login/", allauth.login, name="account_login"),
    path("accounts/logout/", allauth.logout, name="account_logout"),
    path("accounts/second-factor/", security.second_factor_page, name="mfa_authenticate"),
    path("accounts/inactive/", allauth.account_inactive, name="account_inactive"),
    path("accounts/oidc/login/", provider.login, name="oidc_login"),
    path("accounts/oidc/login/callback/", provider.callback, name="oidc_callback"),
    path("accounts/first/<str:secret>/", first_admin, name="first_admin"),
    path("accounts/invited/<str:secret>/", invited, name="invited"),
    path("accounts/password/<id:user_id>/<str:secret>/", password_link, name="password_link"),
    path("accounts/command-line/", command_login, name="command_login"),
    path("settings", settings_home, name="settings"),
    path("tour", leave_tour, name="tour"),
    path("settings/profile", profile_page, name="profile"),
    path("settings/password", password_page, name="password"),
    path("settings/security", security.security_page, name="mfa_index"),
    path("settings/security/sessions", security.end_sessions, name="end_sessions"),
    path("settings/security/app", security.add_app, name="add_app"),
    path("settings/security/passkey", security.add_passkey, name="add_passkey"),
    path("settings/security/remove", security.remove_factor, name="remove_factor"),
    path("settings/security/recovery-codes", security.recovery_codes, name="mfa_view_recovery_codes"),
    path("settings/security/recovery-codes/new", security.new_recovery_codes, name="new_recovery_codes"),
    path("settings/ai-clients", ai_clients, name="ai_clients"),
    path("settings/tokens", token_list, name="tokens"),
    path("settings/tokens/new", new_token, name="new_token"),
    path("settings/tokens/revoke", revoke_tokens, name="revoke_tokens"),
    path("settings/members", member_list, name="members"),
    path("settings/groups", group_list, name="groups"),
    path("settings/groups/new", new_group, name="new_group"),
    path("settings/groups/<id:group_id>", edit_group, name="group"),
    # notifications
    path("inbox", inbox_page, name="inbox"),
    path("inbox/read", read_notifications, name="read_notifications"),
    path("inbox/mute", mute_kind, name="mute_kind"),
    path("inbox/<id:notification_id>", open_notification, name="open_notification"),
    path("settings/notifications", notification_settings, name="notification_settings"),
    path("settings/notifications/rules", rule_list, name="notification_rules"),
    path("settings/notifications/rules/<id:rule_id>", act_on_rule, name="notification_rule"),
    # feedback
    path("feedback", feedback_page, name="feedback"),
    path("feedback/<id:report_id>/forget", discard_draft, name="forget_draft"),
    path("settings/feedback", feedback_list, name="feedback_list"),
    # overview
    path("", home_page, name="home"),
    path("search", search_page, name="search"),
    path("wall", wall_page, name="wall"),
    path(f"{INSTRUMENT}/history", instrument_history, name="instrument_history"),
    path(f"{RUN}/history", run_history, name="run_history"),
    path("settings/integrations", integrations_page, name="integrations"),
    path("settings/eln", save_eln_template, name="eln_template"),
    path("settings/integrations/<str:kind>", integration_settings, name="integration"),
    path("settings/webhooks", webhook_list, name="webhooks"),
    path("settings/webhooks/new", new_webhook, name="new_webhook"),
    path("settings/webhooks/<id:webhook_id>", webhook_page, name="webhook"),
    path("settings/webhooks/<id:webhook_id>/act", act_on_webhook, name="webhook_action"),
    path("settings/integrity", integrity_page, name="integrity"),
    path("settings/space", space_page, name="space"),
    path("settings/readers", reader_list, name="readers"),
    path("settings/readers/read-again", read_again, name="read_again"),
    # instruments
    path("instruments", instrument_list, name="instruments"),
    path("instruments/new", new_instrument, name="new_instrument"),
    path("instruments/selection", act_on_instruments, name="instrument_selection"),
    path(INSTRUMENT, instrument_page, name="instrument"),
    path(f"{INSTRUMENT}/edit", edit_instrument_page, name="instrument_form"),
    path(f"{INSTRUMENT}/retention", instrument_retention, name="instrument_retention"),
    path(f"{INSTRUMENT}/change", save_instrument, name="instrument_change"),
    # runs
    path("runs", run_list, name="runs"),
    path("runs/options", filter_options, name="run_filter_options"),
    path("runs/selection", act_on_runs, name="run_selection"),
    path("runs/selection/matching", act_on_matching, name="run_matching"),
    path("runs/new", new_run, name="new_run"),
    path("runs/views/new", new_view, name="new_view"),
    path("runs/views/<id:view_id>", open_view, name="view"),
    path("runs/views/<id:view_id>/edit", edit_view, name="view_form"),
    path(RUN, run_page, name="run"),
    path(f"{RUN}/hold", run_hold, name="run_hold"),
    path("shared/<str:secret>/", shared_run, name="shared_run"),
    path("shared/<str:secret>/files/<file_id:file_id>", shared_file, name="shared_file"),
    path("settings/shared-links", link_list, name="shared_links"),
    path(f"{RUN}/share", share_page, name="share_run"),
    path(f"{RUN}/sign", sign_page, name="sign_run"),
    path(f"{RUN}/signatures/<id:signature_id>/revoke", revoke_page, name="revoke_signature"),
    path(f"{RUN}/metadata", edit_run_metadata, name="run_metadata"),
    path(f"{RUN}/tags", tag_run, name="run_tags"),
    path(f"{RUN}/project", choose_project, name="run_project"),
    path("projects", project_list, name="projects"),
    path("projects/new", new_project, name="new_project"),
    path("projects/<id:project_id>/hold", project_hold, name="project_hold"),
    path("projects/<id:project_id>", change_project, name="project_change"),
    path(f"{RUN}/people", people_to_mention, name="run_people"),
    path(f"{RUN}/comment-pictures", take_picture, name="comment_picture"),
    path(f"{RUN}/comments", comment_on_run, name="run_comments"),
    path(f"{RUN}/comments/<id:comment_id>", change_comment, name="run_comment"),
    # watchers
    path("settings/watcher-releases", release_list, name="watcher_releases"),
    path("datasets/<id:dataset_id>", dataset_page, name="dataset"),
    path("compare", compare_page, name="compare"),
    path("compare/curve", compared_curves, name="compared_curves"),
    path("compare/plates", compared_wells, name="compared_wells"),
    path("compare/metadata", compared_facts, name="compared_facts"),
    path("combine", combine_page, name="combine"),
    path("combine/curve", combined_curve, name="combined_curve"),
    path("watchers", watcher_list, name="watchers"),
    path("watchers/connect", connect_page, name="connect"),
    path("watchers/connect/code", new_code, name="enrolment_code"),
    path("watchers/connect/<id:code_id>", arrival_page, name="arrival"),
    path("watchers/connect/program/<slug:system>", download_program, name="program"),
    path("watchers/deregister", deregister_selected, name="deregister"),
    path(f"{WATCHER}/configuration", edit_configuration, name="watcher_configuration"),
    path(f"{WATCHER}/configuration/withdraw", withdraw_configuration, name="withdraw_configuration"),
    path(f"{WATCHER}/instance", settle_watcher_instance, name="settle_instance"),
    path(WATCHER, watcher_page, name="watcher"),
    # files
    path(f"{RUN}/report", report_fragment, name="run_report"),
    path(f"{RUN}/files", files_fragment, name="run_files"),
    path(f"{RUN}/files/selection", act_on_files, name="file_selection"),
    path("files/<file_id:file_id>/tiles/<slug_id:key>/<int:start>-<int:length>", tile, name="tile"),
    path(f"{RUN}/thumbnail/<slug_id:key>", thumbnail, name="thumbnail"),
    path(f"{RUN}/put-in", put_in_page, name="put_in"),
    path(f"{RUN}/put-in/known", known_files, name="put_in_known"),
    path(f"{RUN}/put-in/tickets", tickets, name="put_in_tickets"),
    path(f"{RUN}/put-in/confirm", confirm_files, name="put_in_confirm"),
    path("files/<file_id:file_id>/put-in/parts", part_urls, name="put_in_parts"),
    path("files/<file_id:file_id>/put-in/complete", complete_file, name="put_in_complete"),
    # archives
    path(f"{RUN}/archive", archive_page, name="run_archive"),
    path(f"{RUN}/ro-crate", crate_page, name="run_crate"),
    path("downloads/one", one_download, name="one_download"),
    path("downloads", downloads_page, name="downloads"),
]
